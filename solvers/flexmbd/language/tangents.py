"""Tangents that several calls of a kernel give, as one."""

from types import FunctionType


def alike(a, b):
    """True for tangents that give the same partial derivatives: one code that closes over the same."""
    return a is b or _known_as(a, ()) == _known_as(b, ())


def joined(tangents):
    """The partial derivatives of several tangents; where two have one, the earlier one's."""
    if len(tangents) == 1:
        return tangents[0]
    tangents = tuple(reversed(tangents))
    return lambda args: {place: x for tangent in tangents for place, x in tangent(args).items()}


def _known_as(x, within):
    """What tells functions apart; one that closes over itself, by way of `within`, is known by its depth there."""
    if any(x is y for y in within):
        return next(k for k, y in enumerate(within) if x is y)
    if isinstance(x, FunctionType):
        return x.__code__, *(_known_as(cell.cell_contents, (*within, x)) for cell in x.__closure__ or ())
    if isinstance(x, (tuple, list)):
        return tuple(_known_as(y, (*within, x)) for y in x)
    return x if isinstance(x, (int, float, str)) else id(x)
