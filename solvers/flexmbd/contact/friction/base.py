"""What all friction laws share."""

from typing import Any, ClassVar, NamedTuple, Protocol

from flexmbd.parameters import Number


class FrictionKernels(NamedTuple):
    """Compiled functions of a friction law (signatures in ``docs/architecture.md``, "Laws of contact").

    ``state_tangent(vt, fn, z, *numbers) -> (d(dz/dt)/dvt, d(dz/dt)/dz)`` exists for laws with a state only.
    Without a `tangent` (None) derivatives are those of what the force computes.
    """

    force: Any
    tangent: Any
    helpers: tuple = ()
    state_tangent: Any = None


class FrictionLaw(Protocol):
    """A friction law: frozen numbers that name their kernels; ``states`` is 0, or 1 with a bristle."""

    name: ClassVar[str]
    states: ClassVar[int]

    def numbers(self) -> dict[str, Number]:
        """Kernel parameters in order."""

    def kernels(self) -> FrictionKernels:
        """Force and tangent, and the kernels they call."""
