"""Settings of a run, and their checks."""

from dataclasses import dataclass, fields

from flexmbd.equations.index1 import KINDS
from flexmbd.errors import ModelError, check_number
from flexmbd.formulation import known
from flexmbd.integrators import INTEGRATORS
from flexmbd.linalg.direct import back_end
from flexmbd.suggest import unknown
from flexmbd.tuning import USUAL, Tuning


@dataclass(frozen=True)
class Settings:
    """How the motion is computed; all keys are optional.

    Attributes
    ----------
    integrator : str
        Key of `flexmbd.integrators.INTEGRATORS`, or "auto": `moreau` where contacts cannot be penetrated; else `generalized_alpha` where
        there are flexible bodies, or a spring so stiff that an explicit scheme needed more than a quarter of `max_steps`; else, and where
        ideal joints have friction, `dormand_prince`, or `dop853` or `taylor` at tolerances up to 5e-9 where forces are smooth
        (`flexmbd.running.choice`). `Trajectory.attributes` says which, and why.
    tolerance : float, optional
        Local error of velocities per step, relative to the largest velocity so far; 1e-8 if left out, 1e-5 where "auto" takes
        `generalized_alpha`. Also, of schemes of order 2, what the kink of a contact's force may add to it before the step is cut there,
        with fixed steps too (see `stepping.events`).
    step : float
        Largest step in s (0: that of the motion, `stepping.within`); the fixed step of schemes without error estimate.
    fixed : bool
        Keep to `step` whatever the error (a force that jumps at a contact's onset or end is still located; kinks by `tolerance`).
    lanes : int
        Samples side by side; 1 to 64.
    max_steps : int
        Trial steps after which a run is stopped with status `timeout`.
    event_tolerance : float
        Penetration in m within which onset and end of contact are located. 0: 1e-4 of `tolerance`, from 1e-13 to 1e-10, and less where
        clearance or penetration are small (`flexmbd.running.scales`). Never finer than rounding of the places involved.
    spectral_radius : float
        Of schemes with numerical damping (generalized-alpha and its kin) for motions much faster than the step, from 0 (damped out;
        0.5 for hht) to below 1 (hardly damped).
    decay : float
        Of baumgarte: rate in 1/s at which open constraints close.
    constraints : str
        "independent": rows that depend on others are an error that names them. "augmented": they are kept, and with explicit
        schemes motion passes through positions in which rows become dependent (`equations.index1`); `Trajectory.attributes` names them.
    linear_solver : str
        "": elimination in compiled code, for all lanes at once. Else a sparse direct library (`flexmbd.linalg.direct`: superlu, klu,
        umfpack, pardiso), for one system too large for that; lanes must be 1.
    constraint_shift : float
        Of augmented constraints: below it the squared singular values of the constraints (scaled to 1) are not enforced at once. A
        smaller one is more exact in passing such positions, a larger one takes rows that always depend on others with longer steps.
    formulation : str
        Key of `flexmbd.formulation.FORMULATIONS`: the coordinates in which the equations are written. "natural": of bodies, with rows of
        all joints. "tree": of joints that carry bodies, with rows of those alone that close loops (`docs/theory/trees.md`). "auto": the
        tree where it can be and pays (`flexmbd.formulation.choice`); `Trajectory.attributes` says which, and why.
    tuning : Tuning
        From which sizes on generated code takes another form: speed, not what is computed.

    Examples
    --------
    >>> import flexmbd as fm
    >>> fm.Settings(integrator="dormand_prince", tolerance=1e-9).lanes
    16
    """

    integrator: str = "auto"
    tolerance: float | None = None
    step: float = 0.0
    fixed: bool = False
    lanes: int = 16
    max_steps: int = 2_000_000
    event_tolerance: float = 0.0
    spectral_radius: float = 0.8
    decay: float = 5.0
    constraints: str = "independent"
    constraint_shift: float = 1e-6
    linear_solver: str = ""
    formulation: str = "natural"
    tuning: Tuning = USUAL

    def __post_init__(self):
        if self.integrator not in INTEGRATORS and self.integrator != "auto":
            raise unknown("integrator", self.integrator, ("auto", *INTEGRATORS))
        known(self.formulation)
        if self.constraints not in KINDS:
            raise unknown("kind of constraints", self.constraints, KINDS)
        for key in ("tolerance", "step", "max_steps", "event_tolerance", "spectral_radius", "decay", "constraint_shift"):
            if key != "tolerance" or self.tolerance is not None:
                check_number("settings", key, getattr(self, key))
        for key, low in (("tolerance", 0.0), ("max_steps", 0)):
            if getattr(self, key) is not None and not getattr(self, key) > low:
                raise ModelError(f"setting '{key}' is {getattr(self, key)!r}; it must be greater than zero")
        if self.event_tolerance < 0:
            raise ModelError(f"setting 'event_tolerance' is {self.event_tolerance!r}; it must not be negative")
        if not 0 < self.constraint_shift < 0.1:
            raise ModelError(f"setting 'constraint_shift' is {self.constraint_shift!r}; it must be above zero and below 0.1")
        if self.decay < 0:
            raise ModelError(f"setting 'decay' is {self.decay!r}; it must not be negative")
        scheme = INTEGRATORS.get(self.integrator)
        least = 0.0 if scheme is None else scheme.least
        if not least <= self.spectral_radius < 1.0:
            raise ModelError(f"setting 'spectral_radius' is {self.spectral_radius!r}; it must be at least {least:g} and below 1")
        if self.lanes not in (1, 2, 4, 8, 16, 32, 64):
            raise ModelError(f"setting 'lanes' is {self.lanes!r}; it must be a power of two from 1 to 64")
        if not isinstance(self.tuning, Tuning):
            raise ModelError(f"setting 'tuning' is {self.tuning!r}; it must be a flexmbd.tuning.Tuning")
        if self.linear_solver:
            back_end(self.linear_solver)
            if self.lanes != 1:
                raise ModelError(f"setting 'lanes' is {self.lanes!r}; with linear_solver = '{self.linear_solver}' it must be 1")
        later = scheme is not None and "unilateral" in scheme.treats  # `running.choice` knows the contacts
        if self.step < 0 or (self.step == 0 and (self.fixed or not (scheme is None or scheme.adaptive or later))):
            raise ModelError(f"setting 'step' is {self.step!r}; a fixed step needs a time in s greater than zero")


def as_settings(settings):
    """`Settings` from a mapping, a `Settings` or None; unknown keys raise `ModelError`."""
    if isinstance(settings, Settings):
        return settings
    known = [f.name for f in fields(Settings)]
    for key in settings or {}:
        if key not in known:
            raise unknown("setting", key, known)
    try:
        return Settings(**(settings or {}))
    except TypeError as error:
        raise ModelError(f"a setting has a value of the wrong kind: {error}") from None
