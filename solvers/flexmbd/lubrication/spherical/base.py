"""What all films between ball and socket share: viscosity, and the torque of the shear."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import check_number
from flexmbd.lanes import kernel
from flexmbd.lubrication.spherical.moments import area_function


@kernel
def socket_shear(square, c, R, viscosity):
    """Torque of the shear all round the ball, ``-(first w + second E (E.w))`` by the difference w of the spins, in N m s.

    ``square`` is |E|^2, E = e/c; ``mu R^4/c int (1 - n n)/H dn``.
    """
    rest = 1.0 - square
    t0, t1, t2, _ = area_function(square, rest)
    scale = 6.283185307179586 * viscosity * R * R * R * R / c
    # along the line of centres int x^2/H is 4 pi (T - 1)/square = 4 pi (1/rest - 2 T')
    return scale * (t0 + 1.0 / rest - 2.0 * t1), scale * 4.0 / 3.0 * (1.0 / (rest * rest) - (3.0 - square) * t2)


@kernel
def socket_shear_tangent(square, c, R, viscosity):
    """Derivatives of both by ``square``."""
    rest = 1.0 - square
    _, t1, t2, t3 = area_function(square, rest)
    scale = 6.283185307179586 * viscosity * R * R * R * R / c
    q = 1.0 / (rest * rest)
    return scale * (t1 + q - 2.0 * t2), scale * 4.0 / 3.0 * (2.0 * q / rest + t2 - (3.0 - square) * t3)


@dataclass(frozen=True, eq=False)
class SocketFilm:
    """Base of films between ball and socket: viscosity in Pa s, a float or an array (n,) over samples.

    Their kernels are those of `FilmKernels` in the plane of the eccentricity e and the velocity V, in which by symmetry the force lies:
    ``force(x, y, u, w, c, R, viscosity, R)``, the radius once more where the film of a bearing has its length. ``shear(square, c, R,
    viscosity)`` and its derivatives by ``square`` are those of `socket_shear`.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    shape: ClassVar[str] = "spherical"

    viscosity: object

    def __post_init__(self):
        object.__setattr__(self, "viscosity", check_number(f"film '{self.name}'", "viscosity", self.viscosity, positive=True))

    def numbers(self):
        """Viscosity."""
        return {"viscosity": self.viscosity}
