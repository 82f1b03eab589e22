"""What all normal contact laws share: their kernels' container, and the choice of damping by restitution."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from flexmbd.contact.laws.restitution import factor_for_restitution
from flexmbd.errors import check_range
from flexmbd.parameters import Number, number


class NormalKernels(NamedTuple):
    """Compiled functions of a normal law (signatures in ``docs/architecture.md``, "Laws of contact").

    Without a `tangent` (None) derivatives are those of what the force computes.
    """

    force: Any
    tangent: Any
    energy: Any
    helpers: tuple = ()


class NormalLaw(Protocol):
    """A normal contact law: frozen numbers that name their kernels."""

    name: ClassVar[str]
    continuous_onset: ClassVar[bool]

    def numbers(self) -> dict[str, Number]:
        """Kernel parameters in order."""

    def kernels(self) -> NormalKernels:
        """Force, tangent and energy, and the kernels they call."""


@dataclass(frozen=True, eq=False)
class RestitutionDamping:
    """Mixin of laws whose force is its elastic part times ``1 + c rate / v0``, with c from the coefficient of restitution.

    Parameters
    ----------
    restitution : coefficient of restitution e in (0, 1], -.
    calibrated : False takes the published c(e), which lets an impact come out with another restitution than e
        (``restitution.produced_restitution`` says which); True takes the c with which it comes out exactly as e.
    """

    restitution: Number = field(kw_only=True)
    calibrated: bool = field(default=False, kw_only=True)

    def __post_init__(self):
        super().__post_init__()
        check_range(self.name, "restitution", self.restitution, above=0.0, at_most=1.0)

    def factor(self) -> Number:
        """Damping factor c, -."""
        e = number(self.restitution)
        return number(factor_for_restitution(e) if self.calibrated else self.published_factor(e))
