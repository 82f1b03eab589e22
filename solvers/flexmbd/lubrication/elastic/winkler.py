"""Elastic liner as a bed of springs (Winkler): a thin bonded layer that can only be squeezed through its thickness."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import check_number, check_range
from flexmbd.lubrication.elastic.compliance import LocalCompliance
from flexmbd.lubrication.elastic.modes import LinerModes, liner_modes


@dataclass(frozen=True)
class WinklerLiner:
    r"""``delta = p t (1 + nu)(1 - 2 nu)/(E (1 - nu))``: the column under each cell cannot widen (Hooke's law with two strains zero).

    Right for a compressible layer much thinner than the pressure's extent (relative error of order (t/extent)^2 for waves); it ends near
    nu = 1/2, where a bonded layer yields only by flowing sideways, and the column would be rigid.

    Parameters
    ----------
    modulus, poisson : float
        E in Pa, nu from 0 to below 1/2.
    thickness : float
        t in m.
    density : float
        In kg/m^3, for `modes`.
    """

    name: ClassVar[str] = "winkler"

    modulus: float
    poisson: float
    thickness: float
    density: float = 0.0

    def __post_init__(self):
        check_liner(self)

    @property
    def per_pressure(self):
        """Deflection by pressure, m/Pa."""
        nu = self.poisson
        return self.thickness * (1.0 + nu) * (1.0 - 2.0 * nu) / (self.modulus * (1.0 - nu))

    def compliance(self, grid, radius):
        """`LocalCompliance` on a `Grid`."""
        return LocalCompliance(self.per_pressure, grid.shape)

    def modes(self, radius, length, harmonics, shapes) -> LinerModes:
        """`LinerModes` of the surface's deflection; the mass is that of columns that stretch evenly, a third of the layer's."""
        x, w = np.polynomial.legendre.leggauss(64)
        z, w = 0.25 * length * (x + 1.0), 0.25 * length * w
        values = np.stack([np.broadcast_to(shape(z), z.shape) for shape in shapes], axis=1)
        gram = 2.0 * radius * values.T @ (w[:, None] * values)  # both halves; the angle's factor comes with the harmonic
        count = len(harmonics)
        layer = self.density * self.thickness / 3.0
        return liner_modes(harmonics, shapes, [gram / self.per_pressure] * count, [layer * gram] * count)


def check_liner(liner):
    """Check modulus, poisson, thickness and density of a liner; raises `ModelError`."""
    owner = f"{liner.name} liner"
    for key in ("modulus", "thickness"):
        check_number(owner, key, getattr(liner, key), positive=True)
    check_range(owner, "poisson", liner.poisson, at_least=0.0, below=0.5)
    check_range(owner, "density", liner.density, at_least=0.0)
