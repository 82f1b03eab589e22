"""Elastic liner as a ring of finite elements, held at its outer surface, condensed to its inner one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse.linalg as spl

from flexmbd.errors import ModelError
from flexmbd.lubrication.elastic.compliance import RingCompliance
from flexmbd.lubrication.elastic.modes import LinerModes, liner_modes
from flexmbd.lubrication.elastic.ring_elements import constant_line, harmonic, quadratic_line, ring_matrices
from flexmbd.lubrication.elastic.winkler import check_liner

ENDS = ("free", "held", "plane_strain")


@dataclass(frozen=True)
class RingLiner:
    """Linear elastic bush in a rigid housing, symmetric to the bearing's middle; harmonics around, quadratic elements in (r, z).

    Parameters
    ----------
    modulus, poisson : float
        E in Pa, nu from 0 to below 1/2.
    thickness : float
        In m; the inner radius is the bearing's.
    density : float
        In kg/m^3, for `modes`.
    layers, per_cell : int
        Elements through the thickness, and along z over each cell of the film.
    ends : str
        ``"free"``; ``"held"``: no motion along the axis at both ends; ``"plane_strain"``: none anywhere, each slice of z by itself.
    """

    name: ClassVar[str] = "ring"

    modulus: float
    poisson: float
    thickness: float
    density: float = 0.0
    layers: int = 4
    per_cell: int = 1
    ends: str = "free"

    def __post_init__(self):
        check_liner(self)
        for key in ("layers", "per_cell"):
            count = getattr(self, key)
            if not isinstance(count, int | np.integer) or count < 1:
                raise ModelError(f"ring liner: {key} is {count!r}", remedy="give a whole number of elements, at least 1")
        if self.ends not in ENDS:
            raise ModelError(f"ring liner: ends is {self.ends!r}", remedy=f"it must be one of {', '.join(map(repr, ENDS))}")

    def elements(self, radius, length, across):
        """`Ring` of half of a bush of this inner radius and length (m), over `across` cells of z."""
        edges = np.linspace(radius, radius + self.thickness, self.layers + 1)
        plane = self.ends == "plane_strain"
        line = constant_line() if plane else quadratic_line(np.linspace(0.0, 0.5 * length, across * self.per_cell + 1))
        return ring_matrices(self.modulus, self.poisson, self.density, line, quadratic_line(edges), self.ends == "held")

    def compliance(self, grid, radius):
        """`RingCompliance` on a `Grid`: mean deflection of each cell by a pressure that is even over each cell along z.

        Raises
        ------
        ModelError : a grid that is no ring.
        """
        if not grid.ring:
            raise ModelError("ring liner: its harmonics close around the bearing", remedy="use inlet 'periodic', or a WinklerLiner")
        ring = self.elements(radius, grid.width, grid.across)
        line, m = ring.across, grid.across
        if line.nodes.size == 1:
            mean = np.ones((1, 1))
        else:
            mean = (line.weights[:, None] * line.values.toarray()).reshape(m, -1, line.nodes.size).sum(axis=1) / grid.dz
        blocks = np.empty((grid.along // 2 + 1, m, m))
        for k in range(len(blocks)):
            stiffness, _, free = harmonic(ring, k)
            place = np.flatnonzero(free)
            load = np.zeros((free.size, mean.shape[0]))
            load[ring.surface] = mean.T * radius * (1.0 if line.nodes.size == 1 else grid.dz)
            found = np.zeros_like(load)
            found[place] = spl.splu(stiffness[place][:, place].tocsc()).solve(load[place])
            block = mean @ found[ring.surface]
            blocks[k] = block * np.eye(m) if line.nodes.size == 1 else 0.5 * (block + block.T)
        return RingCompliance(blocks, grid.shape)

    def modes(self, radius, length, harmonics, shapes, across=8) -> LinerModes:
        """`LinerModes` of the inner surface's radial deflection; all else follows it in equilibrium, also in the mass (Guyan 1965).

        Parameters
        ----------
        radius, length : float
            Of the bearing, in m.
        harmonics : sequence of int
        shapes : sequence of callable
            Even functions of z (m from the middle), deflection over amplitude; in plane strain taken at z = 0.
        across : int
            Cells over half of the length, as for the film.
        """
        ring = self.elements(radius, length, across)
        values = np.stack([np.broadcast_to(shape(ring.across.nodes), ring.across.nodes.shape) for shape in shapes], axis=1)
        both = length if self.ends == "plane_strain" else 2.0
        stiffness, mass = [], []
        for k in harmonics:
            K, M, free = harmonic(ring, k)
            free[ring.surface] = False
            inner = np.flatnonzero(free)
            field = np.zeros((free.size, len(shapes)))
            field[ring.surface] = values
            field[inner] = spl.splu(K[inner][:, inner].tocsc()).solve(-(K[inner] @ field))
            stiffness.append(both * field.T @ (K @ field))
            mass.append(both * field.T @ (M @ field))
        return liner_modes(harmonics, shapes, stiffness, mass)
