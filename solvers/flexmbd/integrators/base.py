"""What an integrator is: declared facts, and kernels `begin`, `attempt`, `commit` whose source goes into the generated module."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Integrator:
    """Facts and kernels of a scheme.

    Attributes
    ----------
    name : str
    order : int
        Order of convergence on the index-reduced equations, away from events.
    adaptive : bool
        Whether it estimates its error (else it runs at the fixed step of the settings).
    implicit : bool
        Whether it needs the generated Newton correction.
    slots, carry : int
        Rows of accelerations it works with (the last one holds those at the step's end), and how many leading ones
        belong to the state at a step's start.
    functions : tuple
        ``begin(t, q, v, s, C, P, U, K, D, g)``, ``attempt(...)`` -> error over tolerance, ``commit(accepted, K, D)``, and
        ``forget(who, K)``: the next step of these lanes may use slot 0 only; helpers first.
    constants : dict
        Names the kernels read.
    tune : callable, optional
        Further constants from the spectral radius at infinity.
    """

    name: str
    order: int
    adaptive: bool
    implicit: bool
    slots: int
    carry: int
    functions: tuple
    constants: dict = field(default_factory=dict)
    tune: object = None

    def tuned(self, spectral_radius):
        """The scheme for a spectral radius at infinity; itself if it has no such freedom."""
        return self if self.tune is None else replace(self, constants=self.constants | self.tune(spectral_radius))
