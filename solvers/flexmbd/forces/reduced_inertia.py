"""Inertia that depends on coordinates: what is driven without being modelled, seen from what drives it."""

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbd.errors import ModelError
from flexmbd.forces.coordinates import Coordinate
from flexmbd.forces.user import UserFunction


@dataclass(frozen=True, eq=False)
class ReducedInertia(UserFunction):
    """Reduced inertia: kinetic energy ``J(x) x'**2/2`` of masses that follow a coordinate x, with ``J = function(x, **numbers)``.

    Reduced moment of inertia of a crank drive in kg m² over the crank's angle, reduced mass in kg over a way.  It adds J to the mass
    matrix and ``-(dJ/dx) x'**2/2`` to the forces.  Several coordinates have the energy ``sum_kl J_kl x_k' x_l'/2``, and the function gives
    the upper triangle of J row by row: ``(J11, J12, J22)``.

    Parameters
    ----------
    name : str
    along : AngleOf, PlaceOf or another Coordinate, or tuple of them
        The coordinates, in rad and m.
    function : callable
        Of the coordinates and the numbers; a tuple of the upper triangle if they are several.
    numbers : dict, optional
        Its further arguments by name.

    Raises
    ------
    ModelError
        Where the function has other arguments or another number of results, or decides by a value.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def inertia(x, m):
    ...     return m * (1.0 + x * x)
    >>> s = fm.System()
    >>> cart = s.body("cart", mass=1.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), cart.centre))
    >>> flywheel = s.add(fm.ReducedInertia("flywheel", fm.PlaceOf(s.ground.at(0.0, 0.0), cart.centre), inertia, {"m": 3.0}))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(-1.0, 0.0), cart.centre, stiffness=100.0, length=1.0))
    >>> round(float(fm.modes(s).frequencies[0]), 6)  # rad/s: 100 N/m on 1 + 3 kg
    5.0
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    along: object
    function: object
    numbers: dict = field(default_factory=dict)

    def __post_init__(self):
        along = self.along if isinstance(self.along, (tuple, list)) else (self.along,)
        if not along or not all(isinstance(x, Coordinate) for x in along):
            told = f"reduced inertia '{self.name}': along is {self.along!r}; it must be an AngleOf, a PlaceOf, or a tuple of them"
            raise ModelError(told, element=self.name)
        object.__setattr__(self, "along", tuple(along))
        super().__post_init__()

    @property
    def given(self):
        """One argument for each coordinate."""
        return tuple(f"x{k}" for k in range(1, len(self.along) + 1))

    @property
    def measured(self):
        """Bodies between which the coordinates are."""
        return tuple(body for x in self.along for body in x.bodies)

    def parameters(self):
        """Numbers of coordinates and function."""
        return {f"along{k}.{key}": x for k, one in enumerate(self.along) for key, x in one.parameters().items()} | super().parameters()

    def topology_key(self):
        """Coordinates and function."""
        return (tuple(x.topology_key() for x in self.along), super().topology_key())

    def apply(self, equations):
        """Mass and the forces that follow from it."""
        values, rates = zip(*(x.nodes(equations, self, f"along{k}.") for k, x in enumerate(self.along)), strict=True)
        found, size = self._nodes(equations, *values), len(values)
        places = [(k, m) for k in range(size) for m in range(k, size)]
        if len(found) != len(places):
            has, wanted = (f"{n} number{'s' * (n != 1)}" for n in (len(found), len(places)))
            told = f"'{self.name}': the function gives {has}; the inertia of {size} coordinate{'s' * (size != 1)} is {wanted}"
            raise ModelError(told, element=self.name)
        entries = dict(zip(places, found, strict=True))
        equations.add_inertia(entries, rates)
        equations.keep_nodes(self, inertia=found[0])

    def outputs(self, equations):
        """The inertia of a single coordinate."""
        measure = self.along[0].measure
        unit = {"rad": "kg m^2", "m": "kg"}.get(measure, f"J s^2/({measure})^2")
        return {f"{self.name}.inertia": (lambda: equations.nodes_of(self)["inertia"], unit)} if len(self.along) == 1 else {}
