"""Parameters: by path values (numbers, arrays of a number a sample, matrices), their units and levels."""

from collections.abc import Mapping

import numpy as np

from flexmbd.errors import ModelError

Number = float | np.ndarray
# when a value is known: in the code, one number for all samples, one a sample, or while the motion is computed
CONSTANT, UNIFORM, LANE, RUNTIME = range(4)


def varies(value):
    """True of what is one a sample."""
    return not isinstance(value, float) and np.ndim(value) > 0  # of a float numpy takes ten times as long


def number(value) -> Number:
    """A value as a float or a float array."""
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else array


def spread(values, count):
    """Numbers, or arrays over samples, as an array (values, count)."""
    if count == 1:
        return np.array([x if type(x) is float else float(np.ravel(x)[0]) for x in values], float)[:, None]
    if not any(map(np.ndim, values)):
        return np.repeat(np.array(values, float)[:, None], count, axis=1)
    return np.array([np.broadcast_to(x, count) for x in values], float)


class Matrix:
    """A table of numbers that is one parameter: a look-up table, a matrix of a body.

    Parameters
    ----------
    values : ndarray (rows, columns) or (samples, rows, columns)
        The same for all samples, or each has its own.
    """

    def __init__(self, values):
        self.values = np.asarray(values, float)

    @property
    def ndim(self):
        """1 where each sample has its own, else 0: as of a number."""
        return self.values.ndim - 2

    @property
    def shape(self):
        """Rows and columns."""
        return self.values.shape[-2:]

    def __len__(self):
        return len(self.values) if self.ndim else 1

    def row(self, x):
        """Values of the columns, first of all axes, in the last row whose first number, but for row 0, is less than x."""
        starts = self.values[..., 1:, 0]
        if self.ndim:
            place = (starts < np.broadcast_to(x, len(self))[:, None]).sum(axis=-1)
            return self.values[np.arange(len(self)), place].T
        return np.moveaxis(self.values[np.searchsorted(starts, x)], -1, 0)


class Parameters(Mapping):
    """The numbers of a system by path, such as ``"rod.mass"`` and ``"@pin.clearance"``; whoever needs one reads it here by its path.

    Nodes of generated code have the path of the number that they stand for, so no order of numbers decides what one is.

    Parameters
    ----------
    values : iterable of (str, Matrix, float or ndarray (samples,))
    owners : mapping str -> (object, str), optional
        By path the body or element, which has `unit`, and its key for the number.
    fold : bool
        0, 1 and -1 are constants of the code: not where numbers were put together from single samples, of which the next may have others.
    """

    def __init__(self, values, owners=None, *, fold=True):
        values = list(values)
        self._values, self._owners, self.fold = dict(values), owners or {}, fold
        if len(self._values) < len(values):
            paths = [path for path, _ in values]
            twice = next(path for path in paths if paths.count(path) > 1)
            raise ModelError(f"two numbers of the system have the path '{twice}'", remedy="give a body, point or element another name")

    def __getitem__(self, path):
        return self._values[path]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def unit(self, path):
        """SI unit of a number; None where it is not known."""
        owner, key = self._owners.get(path, (None, ""))
        if owner is None:
            return "m/s^2" if path.startswith("gravity.") else None
        return owner.unit(key)

    def of_body(self, path):
        """True for numbers of bodies and ground: masses, and places of points."""
        return not path.startswith(("@", "gravity."))

    def level(self, path):
        """Level of a number, of a `Matrix` with its shape; of what is a constant of the code its value, a float."""
        value = self._values[path]
        level = LANE if varies(value) else UNIFORM
        if isinstance(value, Matrix):
            return level, value.shape
        return value if level == UNIFORM and self.fold and value in (0.0, 1.0, -1.0) else level

    @property
    def samples(self):
        """Number of samples; 1 where no number is an array."""
        return max((len(value) for value in self._values.values() if varies(value)), default=1)

    @property
    def varied(self):
        """Paths of the numbers that are arrays over samples."""
        return [path for path, value in self._values.items() if varies(value)]

    def of_samples(self, which):
        """The same of one sample (an int) or of some (an array of int or bool)."""
        return Parameters(((path, _of_samples(x, which)) for path, x in self._values.items()), self._owners, fold=self.fold)

    def plain(self):
        """All numbers of a system of one sample, in a tuple."""
        return tuple(float(x) for value in self._values.values() for x in (value.values.ravel() if isinstance(value, Matrix) else (value,)))

    def beside(self, others):
        """This sample's and those of others with the same paths, as many samples."""
        both = (self, *others)
        return Parameters(((path, _side_by_side([x[path] for x in both])) for path in self), self._owners, fold=False)


def _of_samples(value, which):
    if not varies(value):
        return value
    if isinstance(value, Matrix):
        return Matrix(value.values[which])
    return value[which] if np.ndim(which) else float(value[which])


def _side_by_side(values):
    return Matrix([x.values for x in values]) if isinstance(values[0], Matrix) else np.array(values)
