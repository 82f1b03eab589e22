"""Words in a figure: long names shortened, and names beside points where there is room for them."""

from collections.abc import Sequence
from itertools import product

import numpy as np

LONGEST = 26  # characters of a name on an axis or in a legend
SIDES = {"right": (1, 0), "left": (-1, 0), "top": (0, 1), "bottom": (0, -1)}
LETTER, LINE = 0.0095, 0.045  # width of a letter and height of a line, as shares of the panel
NARROW_LETTER = 0.024  # on a telephone
AWAY = 0.012  # from a point to its name


def short(name: str, longest: int = LONGEST) -> str:
    """The name with an ellipsis in its middle if it is too long: both ends of dotted names tell them apart."""
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[-tail:]}"


def shortened(names: Sequence[str], longest: int = LONGEST) -> dict[str, str]:
    """Each name as it is written: as it is, or without what all long names begin and end with, or with an ellipsis inside.

    Names that differ stay different: where they would not, a number stands in front.
    """
    known = list(dict.fromkeys(names))
    long = [name for name in known if len(name) > longest]
    head, tail = _shared(long, ".: "), _shared([name[::-1] for name in long], "._: ")
    shown = {name: name for name in known}
    for name in long:
        core = name[head : len(name) - tail] if len(long) > 1 else name
        room = longest - (1 if len(core) < len(name) and head else 0) - (1 if len(core) < len(name) and tail else 0)
        if len(core) < len(name):
            core = short(core, room)
            shown[name] = f"{'…' if head else ''}{core}{'…' if tail else ''}"
        else:
            shown[name] = short(name, longest)
    if len(set(shown.values())) < len(known):
        count = {text: list(shown.values()).count(text) for text in shown.values()}
        shown = {name: f"{k}: {text}" if count[text] > 1 else text for k, (name, text) in enumerate(shown.items(), start=1)}
    return shown


def _shared(names: Sequence[str], separators: str) -> int:
    """How many leading characters these names have in common, up to and with one of the separators."""
    if len(names) < 2:
        return 0
    length = next((k for k, letters in enumerate(zip(*names)) if len(set(letters)) > 1), min(map(len, names)))
    while length and names[0][length - 1] not in separators:
        length -= 1
    return length


def places(x: np.ndarray, y: np.ndarray, names: Sequence[str], letter: float = LETTER) -> tuple[str, ...]:
    """On which side of each point (points,) its name stands so that no two overlap: a key of `SIDES`, or empty where there is no room.

    The points farthest from the origin choose first; the largest values fill the panel, of which a letter has the width `letter`.
    """
    at = np.column_stack([_scaled(x), _scaled(y)])
    taken = [(px - 0.008, py - 0.015, px + 0.008, py + 0.015) for px, py in at]
    sides = [""] * len(names)
    for k in np.argsort(-at.sum(axis=1), kind="stable"):
        for lowest, (side, (right, up)) in product((-0.02, -0.03), SIDES.items()):  # beside a point on the axis only where nothing else is
            width = letter * len(names[k])
            left = at[k, 0] + right * (AWAY + width / 2) - width / 2
            low = at[k, 1] + up * (AWAY + LINE / 2) - LINE / 2
            box = (left, low, left + width, low + LINE)
            if box[0] < -0.02 or box[2] > 1.03 or box[1] < lowest or box[3] > 1.04:
                continue
            if not any(_overlap(box, other) for i, other in enumerate(taken) if i != k):
                sides[k] = side
                taken.append(box)
                break
    return tuple(sides)


def _scaled(values: np.ndarray) -> np.ndarray:
    greatest = np.nanmax(values, initial=0.0)
    return np.nan_to_num(np.asarray(values, float)) / (greatest if greatest > 0 else 1.0)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
