"""Values of parameters: numbers, arrays of a number a sample, and matrices."""

import numpy as np

Number = float | np.ndarray


def number(value) -> Number:
    """A value as a float or a float array."""
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else array


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


def of_sample(value, i):
    """The value of one sample."""
    if not np.ndim(value):
        return value
    return Matrix(value.values[i]) if isinstance(value, Matrix) else float(value[i])


def side_by_side(values):
    """Values of one parameter in several systems as one of many samples."""
    if isinstance(values[0], Matrix):
        return Matrix([x.values for x in values])
    return np.array(values)


def plain(values):
    """All numbers of one sample in a tuple."""
    return tuple(float(x) for value in values for x in (value.values.ravel() if isinstance(value, Matrix) else (value,)))
