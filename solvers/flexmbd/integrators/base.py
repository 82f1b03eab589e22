"""What an integrator is: declared facts, slots that it works with, and its compiled functions."""

from dataclasses import dataclass, field, replace

from flexmbd.lanes import kernel, lnot, select


@kernel
def larger(a, b):
    """The larger of two values, lane by lane; NaN where one of them is (for norms: no NaN may be lost in them)."""
    return select((a > b) | lnot(a <= a), a, b)


@dataclass(frozen=True)
class Slot:
    """Rows that a scheme works with: as many as a slot has (`flexmbd.stepping.names`).

    Attributes
    ----------
    name, meaning : str
    kept : bool
        Whether it belongs to the state at a step's start.
    """

    name: str
    meaning: str
    kept: bool = False


@dataclass(frozen=True)
class Integrator:
    """Facts and functions of a scheme.

    Attributes
    ----------
    name : str
    order : int
        Order of convergence of positions and velocities, away from events; outputs follow them, reactions and accelerations too.
    slots : tuple of Slot
        The first one has accelerations and rates at the step's start.
    last : int
        Slot with those at the step's end.
    functions : dict
        Entry of the table (`flexmbd.stepping.names`) -> function ``f(X, P, W, at)``: ``BEGIN`` makes the kept slots at the start,
        ``ATTEMPT`` a step of length `H` from the point `START` to the point `END`, with its error over the tolerance in `ERROR`,
        ``COMMIT`` takes it over in lanes whose `WHO` is 1, after ``FORGET`` the next step of such lanes uses the first slot only; if
        it has its own interpolation ``DENSE`` puts the state of the lane `STAGE` at `FRACTION` of the step into the point `MIDDLE`; if
        that is a polynomial, ``BETWEEN`` puts it there for all lanes, each at its own `FRACTION`, once ``FURTHER`` has put into slots what
        it needs beside the step (W and the point `MIDDLE` are free); if
        velocities jump within its steps ``MIDWAY`` puts there, for all lanes, what integrals of outputs take for the whole step.
        ``LOCATE`` says after a trial step in `OVER` and `CUT` whether to try another one, for an event of the scheme; ``SWITCH`` acts on
        events at the end of accepted steps, and leaves in `WHO` where there was one. ``RESUME`` acts behind a known time, where forces may
        have jumped, in lanes whose `WHO` is 1. ``PROPOSE`` says the next step in `NOMINAL_STEP` before it is tried.
    numbers : tuple of float
        What the functions read at `SCHEME`.
    adaptive : bool
        Whether it estimates its error (else it runs at the fixed step of the settings).
    correction : callable, optional
        Of an implicit scheme: nodes of its Newton correction for a `Formulation` (`flexmbd.equations`).
    accelerations : callable, optional
        Nodes of the accelerations for a `Formulation` and the scheme's numbers, if not those of the index-1 equations.
    generated : callable, optional
        Of a scheme that needs more of the equations: for a `Formulation`, what further functions store, by entry of the table, and how many
        rows the scheme keeps numbers in, from `FACTORS` on (see `flexmbd.equations.partition`).
    work : callable, optional
        How many rows of W its generated functions put results in, for a `Problem`; else 2 a coordinate and 1 a multiplier.
    reads : dict str -> (str, str)
        Kind of a run-time variable of `correction` or `generated` -> the slot that has it, and which part: "" for the first rows,
        ``"rates"``, or ``"second"`` multipliers. In place of a slot: ``"y"``, where the function's results go,
        ``"kept"``, or ``"start"``, the velocities at the step's start.
    projects : bool
        Whether the loop projects positions and velocities when rows have drifted open by more than the tolerance.
    treats : tuple of str
        Kinds of contact: ``"smooth"`` (a force), ``"unilateral"`` (bodies that cannot penetrate each other).
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
        A setting that it has, and numbers from its value, or a dict of facts.
    least : float
        Least spectral radius it can have.
    middle : tuple of float
        Weights of the slots' rates, times the step, for further states in its middle; without them both ends give these.
    first : float
        First step, if it is adaptive, by the time in which something moves by the mechanism's size, or turns by 1 rad, at the start.
    needs : str
        What a system must have that it is for, in words; "": nothing special.
    exact : bool
        With error control states between the ends of steps are the ends of shorter steps: its ``BETWEEN`` is of a much lower order.
    parts : int
        Into how many parts its steps are divided where signals are reduced (`stepping.parts`).
    passing : dict
        Functions in place of `functions`, or besides them, where bodies may pass each other within a step (`flexmbd.integrators.passing`).
    """

    name: str
    order: int
    slots: tuple
    last: int
    functions: dict = field(hash=False)
    numbers: tuple = ()
    adaptive: bool = True
    correction: object = None
    accelerations: object = None
    generated: object = None
    work: object = None
    reads: dict = field(default_factory=dict, hash=False)
    projects: bool = False
    treats: tuple = ("smooth",)
    holds: tuple = ()
    conserves: tuple = ()
    multipliers: int = 1
    multiplier_order: object = None
    multiplier_time: float = 0.0
    setting: str = ""
    tune: object = None
    least: float = 0.0
    middle: tuple = ()
    first: float = 1e-4
    needs: str = ""
    exact: bool = False
    parts: int = 1
    passing: dict = field(default_factory=dict, hash=False)

    @property
    def error_order(self):
        """Power of the step with which its estimate of the error goes; embedded solutions are of one order less."""
        return self.order if self.correction is None else self.order + 1

    @property
    def passes(self):
        """Whether it follows a motion through positions in which augmented rows become dependent; else it stops there."""
        return self.correction is None

    @property
    def percussive(self):
        """Whether what it calls the force of an impenetrable contact is, in an impact, the percussion of a step by its length."""
        return "unilateral" in self.treats and not self.adaptive

    def tuned(self, value):
        """The scheme for a value of its setting; itself if it has none."""
        if self.tune is None:
            return self
        found = self.tune(value)
        return replace(self, **(found if isinstance(found, dict) else {"numbers": found}))

    def place(self, name):
        """Number of a slot."""
        return next(k for k, slot in enumerate(self.slots) if slot.name == name)
