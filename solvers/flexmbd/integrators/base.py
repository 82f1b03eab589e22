"""What an integrator is: declared facts, and kernels `begin`, `attempt`, `commit` whose source goes into the generated module."""

from dataclasses import dataclass, field, replace

from flexmbd.lanes import lnot, select


def larger(a, b):
    """The larger of two values, lane by lane; NaN where one of them is (a kernel for norms: no NaN may be lost in them)."""
    return select((a > b) | lnot(a <= a), a, b)


@dataclass(frozen=True)
class Integrator:
    """Facts and kernels of a scheme.

    Attributes
    ----------
    name : str
    order : int
        Order of convergence of positions and velocities, away from events; outputs follow them, reactions and accelerations too.
    slots, carry : int
        Rows of accelerations it works with (the last one holds those at the step's end), and how many leading ones
        belong to the state at a step's start.
    functions : tuple
        ``begin(t, q, v, s, C, P, U, K, D, g)``, ``attempt(...)`` -> error over tolerance, ``commit(accepted, K, D)``, and
        ``forget(who, K)``: the next step of these lanes may use slot 0 only; helpers first.
    constants : dict
        Names the kernels read.
    adaptive : bool
        Whether it estimates its error (else it runs at the fixed step of the settings).
    correction : callable, optional
        Of an implicit scheme: nodes of its Newton correction for a `Build` (`flexmbd.newton`).
    accelerations : callable, optional
        Nodes of the accelerations for a `Build`, if not those of the index-1 equations.
    generated : callable, optional
        Of a scheme that needs more of the equations: for a `Build`, functions of the generated module by name, each (arguments, stores),
        and how many rows of P, from `FACTORS` on, the scheme keeps numbers in (`KEPT`).
    projects : bool
        Whether the loop projects positions and velocities when rows have drifted open by more than the tolerance.
    holds : tuple of str
        ``"position"``, ``"velocity"``: how rows hold at every step, to rounding.
    conserves : tuple of str
        What a free motion keeps, to rounding: ``"energy"``, ``"momentum"``, ``"angular momentum"``.
    multipliers : int
        Multipliers a row.
    multiplier_order : int, optional
        Order of an implicit scheme's own multipliers, if not `order`.
    multiplier_time : float
        When they act: after the step's end, in steps.
    setting, tune : str, callable, optional
        A setting that it has, and further constants from its value.
    least : float
        Least spectral radius it can have.
    first : float
        First step, by the time of a run, if it is adaptive.
    """

    name: str
    order: int
    slots: int
    carry: int
    functions: tuple
    constants: dict = field(default_factory=dict)
    adaptive: bool = True
    correction: object = None
    accelerations: object = None
    generated: object = None
    projects: bool = False
    holds: tuple = ()
    conserves: tuple = ()
    multipliers: int = 1
    multiplier_order: object = None
    multiplier_time: float = 0.0
    setting: str = ""
    tune: object = None
    least: float = 0.0
    first: float = 1e-5

    @property
    def passes(self):
        """Whether it follows a motion through positions in which augmented rows become dependent; else it stops there."""
        return self.correction is None

    def tuned(self, value):
        """The scheme for a value of its setting; itself if it has none."""
        return self if self.tune is None else replace(self, constants=self.constants | self.tune(value))
