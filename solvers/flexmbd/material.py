"""Elastic materials."""

from dataclasses import dataclass

from flexmbd.errors import check_range
from flexmbd.parameters import Number, number


@dataclass(frozen=True, eq=False)
class Material:
    """Linear elastic isotropic material; every number may be an array over samples.

    Parameters
    ----------
    E : Young's modulus, Pa.
    nu : Poisson's ratio in (-1, 0.5], -.
    density : kg/m^3, or None where it is not needed.
    name : shown in messages.
    source : where the numbers are from.

    Examples
    --------
    >>> import flexmbd as fm
    >>> rubber = fm.Material(E=5e6, nu=0.49, density=1100.0, name="rubber")
    >>> f"{rubber.contact_compliance:.3e}"  # (1 - nu²) / E, 1/Pa
    '1.520e-07'
    """

    E: Number
    nu: Number
    density: Number | None = None
    name: str = ""
    source: str = ""

    def __post_init__(self):
        owner = f"material {self.name}".rstrip()
        check_range(owner, "E", self.E, above=0.0)
        check_range(owner, "nu", self.nu, above=-1.0, at_most=0.5)
        if self.density is not None:
            check_range(owner, "density", self.density, above=0.0)

    @property
    def contact_compliance(self) -> Number:
        """(1 - nu^2) / E, 1/Pa."""
        nu = number(self.nu)
        return (1.0 - nu * nu) / number(self.E)
