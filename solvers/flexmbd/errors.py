"""The one error a user of flexmbd sees, and the range checks that raise it."""

from math import isfinite

import numpy as np


class ModelError(Exception):
    """A model that cannot be built or run, told in one sentence.

    Parameters
    ----------
    message : what is wrong, with the offending value.
    element : name of the body, joint, force or law it happened in.
    remedy : what to do instead.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> try:
    ...     s.body("rod", mass=-1.0, inertia=0.1)
    ... except fm.ModelError as error:
    ...     print(error)
    body 'rod': mass is -1; it must be greater than zero
    """

    def __init__(self, message, *, element=None, remedy=None):
        super().__init__(message)
        self.message = message
        self.element = element
        self.remedy = remedy

    def __str__(self):
        where = f"{self.element}: " if self.element and self.element not in self.message else ""
        hint = f"; {self.remedy}" if self.remedy else ""
        return f"{where}{self.message}{hint}"


class NotDifferentiable(ModelError):
    """An expression whose derivative is asked for, and not known."""


def check_range(owner, key, value, *, above=None, at_least=None, below=None, at_most=None):
    """Raise ``ModelError`` unless every entry of ``value`` is a finite number inside the range.

    ``owner`` and ``key`` name what is checked; bounds may themselves be arrays that broadcast against ``value``.
    """
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(
            f"{key} is {value!r}, which is not a number", element=owner, remedy="give a number or an array of numbers"
        ) from None
    good = np.isfinite(numbers)
    rules = []
    for bound, holds, word in (
        (above, np.greater, "above"),
        (at_least, np.greater_equal, "at least"),
        (below, np.less, "below"),
        (at_most, np.less_equal, "at most"),
    ):
        if bound is not None:
            good = good & holds(numbers, bound)
            rules.append(f"{word} {bound:g}" if np.ndim(bound) == 0 else f"{word} its bound")
    if np.all(good):
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    first = np.broadcast_to(numbers, good.shape)[index]
    place = f" (sample {index[0] if len(index) == 1 else index})" if index else ""
    rule = " and ".join(rules) or "finite"
    raise ModelError(f"{key} is {first:g}{place}", element=owner, remedy=f"it must be {rule}")


def check_number(owner, key, value, *, positive=False):
    """Float or (n,) array, finite (and positive); raises `ModelError` naming owner and key."""
    if type(value) is float and isfinite(value) and (value > 0.0 or not positive):
        return value  # numpy takes ten times as long
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {key} is {value!r}; it must be a number (or one per sample)", element=owner) from None
    if array.ndim > 1 or not np.all(np.isfinite(array)):
        raise ModelError(f"{owner}: {key} is {value!r}; it must be a finite number (or one per sample)", element=owner)
    if positive and not np.all(array > 0):
        bad = float(array if array.ndim == 0 else array[np.argmin(array)])
        raise ModelError(f"{owner}: {key} is {bad:g}; it must be greater than zero", element=owner)
    return float(array) if array.ndim == 0 else array


def unit_vector(owner, key, value, count=2):
    """Numbers (or arrays over samples) scaled to length one; raises `ModelError` naming owner and key."""
    words = {2: "two", 3: "three"}
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if len(parts) != count:
        raise ModelError(f"{owner}: {key} is {value!r}; it must be {words[count]} numbers", element=owner)
    parts = [check_number(owner, key, x) for x in parts]
    size = check_number(owner, f"length of {key}", np.sqrt(sum(x * x for x in parts)), positive=True)
    return tuple(x / size for x in parts)
