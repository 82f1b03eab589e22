"""Friction of the mixed regime: asperities rub, the film shears."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from flexmbd.errors import check_number, check_range
from flexmbd.lanes import kernel, tanh


class MixedKernels(NamedTuple):
    """``force(v, load, drag, *numbers) -> (f, 0)`` and ``tangent(...) -> (df/dv, df/dload, df/ddrag)``.

    These are the kernels of a joint's friction law without a state, with the film's drag where others have their bristle: the joint, which
    counts the film's shear itself, gives 0.
    """

    force: Any
    tangent: Any
    helpers: tuple = ()
    state_tangent = None


@kernel
def mixed_force(v, load, drag, mu, v_t):
    """mu load tanh(v / v_t) + drag v, in N; has the sign of v and opposes it; no state."""
    return mu * load * tanh(v / v_t) + drag * v, 0.0 * v


@kernel
def mixed_tangent(v, load, drag, mu, v_t):
    """Derivatives of ``mixed_force`` by v, load and drag."""
    sign = tanh(v / v_t)
    return mu * load * (1.0 - sign * sign) / v_t + drag, mu * sign, v


@dataclass(frozen=True, eq=False)
class MixedFriction:
    r"""``F_t = mu N_a tanh(v / v_tol) + D v``: boundary friction on what the asperities carry, and shear of the film.

    The curve of Stribeck is not put in; it comes out of the share of the load that the asperities carry (N_a), which falls as
    the film builds up with speed (load sharing after Johnson, Greenwood and Poon 1972, Wear 19, 91-108).  Units: N, m/s.

    Parameters
    ----------
    mu : coefficient of boundary friction >= 0, -.
    tolerance_velocity : v_tol > 0 of the transition through zero, m/s.

    Examples
    --------
    >>> import flexmbd as fm
    >>> rough = fm.GreenwoodTripp(density=1e10, tip_radius=1e-5, roughness=4e-7, modulus=1.15e11, length=0.02)
    >>> mixed = {"film": fm.ShortFilm(0.04, 0.02), "asperities": rough, "friction": fm.MixedFriction(0.12, 1e-3)}
    >>> s = fm.System()
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01)
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, **mixed))
    >>> fm.output_units(s)["joint.friction_power"]
    'W'
    """

    name: ClassVar[str] = "mixed_friction"
    reference: ClassVar[str] = "Johnson, Greenwood and Poon 1972, Wear 19, 91-108"
    states: ClassVar[int] = 0

    mu: Any
    tolerance_velocity: Any

    def __post_init__(self):
        check_range(self.name, "mu", self.mu, at_least=0.0)
        for key, positive in (("mu", False), ("tolerance_velocity", True)):
            object.__setattr__(self, key, check_number(self.name, key, getattr(self, key), positive=positive))

    def numbers(self):
        """mu, v_tol."""
        return {"mu": self.mu, "v_t": self.tolerance_velocity}

    def kernels(self) -> MixedKernels:
        """Force and tangent."""
        return MixedKernels(mixed_force, mixed_tangent)
