"""What of a body's start the user gave, and what of it must stay where constraints ask for changes."""

from flexmbd.errors import ModelError


def said(owner, words, fixed):
    """Words of the start that were given, and those that must stay."""
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    given = tuple(key for key, x in words.items() if x is not None)
    for word in fixed:
        if word not in words:
            raise ModelError(f"{owner}: fixed names {word!r}; it may name {', '.join(map(repr, words))}")
        if word not in given:
            raise ModelError(f"{owner}: fixed names '{word}', which is not given", remedy=f"give a value of {word}")
    return given, fixed


def moved(given, nodes, rates):
    """Words of the start of a cable or beam that were given, by its arguments."""
    moving = [key for key, x in given.items() if x is not None and ("velocit" in key or key == "rate")]
    placed = [key for key, x in given.items() if x is not None and key not in moving]
    return ("position",) * bool(placed or nodes is not None) + ("velocity",) * bool(moving or rates is not None)


def keep_said(body, given, fixed=()):
    """Let a body know what of its start was given, and what must stay."""
    object.__setattr__(body, "given", given)
    object.__setattr__(body, "fixed", fixed)
