"""Grooves of a bearing: places where the pressure is that of the supply and the film is full."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number


@dataclass(frozen=True)
class AxialGroove:
    """Groove along the axis, in the middle of the bearing.

    Parameters
    ----------
    angle : float
        Of its middle, in rad, in the bearing's frame.
    span : float
        Angle it covers, in rad, above 0 and below 2 pi.
    length : float
        Along the axis, in m, at most the bearing's.
    pressure : float
        Supply pressure in Pa.
    """

    angle: float
    span: float
    length: float
    pressure: float = 0.0

    def __post_init__(self):
        for key in ("angle", "pressure"):
            check_number("axial groove", key, getattr(self, key))
        for key in ("span", "length"):
            check_number("axial groove", key, getattr(self, key), positive=True)

    def cells(self, theta, z, length):
        """(n, m) bool: cells whose centres (angles `theta`, places `z`) lie in the groove of a bearing of this length (m)."""
        if self.length > length * (1 + 1e-12) or self.span >= 2.0 * np.pi:
            raise ModelError(
                f"axial groove of length {self.length:g} m and span {self.span:g} rad lies outside the bearing",
                remedy=f"the length must be at most {length:g} m and the span below 2 pi",
            )
        away = np.abs((theta - self.angle + np.pi) % (2.0 * np.pi) - np.pi)
        return (away <= 0.5 * self.span)[:, None] & (z <= 0.5 * self.length)[None, :]


@dataclass(frozen=True)
class CircumferentialGroove:
    """Groove around the bearing, with its mirror image where it is not in the middle.

    Parameters
    ----------
    position : float
        Of its middle, in m, from the middle of the bearing.
    width : float
        In m.
    pressure : float
        Supply pressure in Pa.
    """

    width: float
    pressure: float = 0.0
    position: float = 0.0

    def __post_init__(self):
        for key in ("position", "pressure"):
            check_number("circumferential groove", key, getattr(self, key))
        check_number("circumferential groove", "width", self.width, positive=True)

    def cells(self, theta, z, length):
        """(n, m) bool: cells whose centres (angles `theta`, places `z`) lie in the groove of a bearing of this length (m)."""
        if abs(self.position) + 0.5 * self.width > 0.5 * length * (1 + 1e-12):
            raise ModelError(
                f"circumferential groove at {self.position:g} m of width {self.width:g} m lies outside the bearing",
                remedy=f"it must end within {0.5 * length:g} m of the middle",
            )
        row = np.abs(z - abs(self.position)) <= 0.5 * self.width
        if self.position == 0.0:
            row = z <= 0.5 * self.width
        return np.broadcast_to(row, (len(theta), len(z)))


def groove_cells(grooves, theta, z, length):
    """Cells of all grooves, (n, m) bool, and their pressures, (n, m) Pa.

    Raises
    ------
    ModelError : a groove outside the bearing, or one that the grid's cells miss.
    """
    mask, supply = np.zeros((len(theta), len(z)), bool), np.zeros((len(theta), len(z)))
    for groove in grooves:
        cells = groove.cells(theta, z, length)
        if not cells.any():
            raise ModelError("a groove is narrower than the grid's cells", remedy="use more cells or a wider groove")
        mask |= cells
        supply[cells] = groove.pressure
    return mask, supply
