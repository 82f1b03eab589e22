"""What all films share: the one function of place and velocity, and the numbers of a film that is a formula."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from flexmbd.errors import ModelError, check_number
from flexmbd.lubrication.friction import couette_shear, couette_tangent

EXTENTS = ("full", "half")


class FilmKernels(NamedTuple):
    """Compiled functions of a film.

    ``force(x, y, u, w, c, R, *numbers) -> (fx, fy)`` is the force on the journal in N: (x, y) its centre from the bearing's in m, less than
    the radial clearance c; (u, w) its velocity in m/s in the frame that turns with half the sum of both spins, ``(vx + s y, vy - s x)``;
    R the bearing's radius in m.  Viscosity comes in by its product with the velocity only.  ``tangent`` has the same arguments and gives
    ``(dfx/dx, dfx/dy, dfx/du, dfx/dw, dfy/dx, ..., dfy/dw)``.

    ``shear(x, y, c, R, viscosity, length) -> N m s`` is the torque of the film's shear by difference of the spins, and ``shear_tangent``
    its derivatives by x and y.

    ``peak`` and ``flow`` have the arguments of ``force`` and give the largest pressure (Pa) and the flow out of both ends (m^3/s); None for
    films of which they are not known.
    """

    force: Any
    tangent: Any
    helpers: tuple = ()
    shear: Any = couette_shear
    shear_tangent: Any = couette_tangent
    peak: Any = None
    flow: Any = None


class Film(Protocol):
    """A film: frozen numbers that name their kernels; two of the numbers are ``viscosity`` (Pa s) and ``length`` (m)."""

    name: ClassVar[str]
    reference: ClassVar[str]

    def numbers(self) -> dict[str, Any]:
        """Kernel parameters in order, each a float or an array (n,) over samples."""

    def kernels(self) -> FilmKernels:
        """Force and tangent, and the kernels they call."""


@dataclass(frozen=True, eq=False)
class FormulaFilm:
    """Base of films in closed form: viscosity in Pa s and length of the bearing in m, each a float or an array (n,) over samples."""

    name: ClassVar[str]

    viscosity: object
    length: object

    def __post_init__(self):
        for key in ("viscosity", "length"):
            object.__setattr__(self, key, check_number(f"film '{self.name}'", key, getattr(self, key), positive=True))

    def numbers(self):
        """Viscosity, length."""
        return {"viscosity": self.viscosity, "length": self.length}


@dataclass(frozen=True, eq=False)
class ExtentFilm(FormulaFilm):
    """Base of films that are full or half: `extent` is one of ``EXTENTS``."""

    extent: str = "half"

    def __post_init__(self):
        super().__post_init__()
        if self.extent not in EXTENTS:
            raise ModelError(f"film '{self.name}': extent is {self.extent!r}; it must be 'full' or 'half'", element=self.name)
