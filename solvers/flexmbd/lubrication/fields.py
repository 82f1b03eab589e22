"""Film fields of a run: thickness, pressure, flows and power from the histories of a lubricated joint; ``docs/theory/film_fields.md``."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lubrication.reynolds.solve import cavitation_model

OWNER = "film fields"


@dataclass(frozen=True)
class FilmFields:
    """Films at the times (t,); n cells around, m over half of the length. Forces are in the axes of the run, angles in those of the grid.

    Attributes
    ----------
    time : ndarray (t,)
        s.
    theta : ndarray (t, n)
        Angle of the cells' centres, rad; the same at all times but for the inlet at the widest gap.
    z : ndarray (m,)
        Distance from the middle, m.
    thickness : ndarray (t, n)
        m.
    pressure, fill : ndarray (t, n, m)
        Pa, -.
    force : ndarray (t, 2)
        On the journal, N.
    journal_torque, bearing_torque : ndarray (t,)
        Each about its own centre, N m.
    max_pressure : ndarray (t,)
        Pa.
    min_thickness : ndarray (t,)
        Clearance less eccentricity, m; of a place kept inside (`largest`) that of this place.
    side_flow, supply_flow : ndarray (t,)
        Out of both sides, out of the grooves into the film, m^3/s.
    friction_power : ndarray (t,)
        What the spins lose, W.
    film_power : ndarray (t,)
        What journal and bearing lose to the film, squeezing included, W.
    volume, supplied, lost : ndarray (t,) or None
        With a history: oil in the gap; what came from grooves and left through the sides since the start. Their balance
        ``volume - supplied + lost`` is constant. m^3.
    content : ndarray (n, m) or None
        With a history: fill times thickness at the last time, m, to go on from.
    """

    time: np.ndarray
    theta: np.ndarray
    z: np.ndarray
    thickness: np.ndarray
    pressure: np.ndarray
    fill: np.ndarray
    force: np.ndarray
    journal_torque: np.ndarray
    bearing_torque: np.ndarray
    max_pressure: np.ndarray
    min_thickness: np.ndarray
    side_flow: np.ndarray
    supply_flow: np.ndarray
    friction_power: np.ndarray
    film_power: np.ndarray
    volume: np.ndarray | None = None
    supplied: np.ndarray | None = None
    lost: np.ndarray | None = None
    content: np.ndarray | None = None

    def around(self, field, angles):
        """A field (t, n, ...) at other angles (rad), by straight lines round the bearing: (t, angles, ...)."""
        step = self.theta[0, 1] - self.theta[0, 0]
        place = np.remainder(np.asarray(angles, float) - self.theta[:, :1], 2.0 * np.pi) / step
        low = place.astype(int)
        share = (place - low).reshape(*place.shape, *(1,) * (field.ndim - 2))
        n, rows = field.shape[1], np.arange(len(field))[:, None]
        return (1.0 - share) * field[rows, low % n] + share * field[rows, (low + 1) % n]


def film_fields(
    bearing, time, place, velocity, *, spins=(0.0, 0.0), viscosity=None, angle=None, at=None, largest=None, history=False, content=None,
    substeps=1, warn=True,
):  # fmt: skip
    """`FilmFields` of one run.

    Parameters
    ----------
    bearing : ReynoldsBearing or FormulaBearing
    time : ndarray (points,)
        Of the histories, increasing, s.
    place, velocity : pair of ndarray (points,)
        Journal's centre from the bearing's and its rate, in the inertial axes (outputs ``<joint>.ex``, ``<joint>.ey``, and differences of
        the velocities of both points), m and m/s.
    spins : pair, each float or ndarray (points,)
        Of journal and bearing (outputs ``<body>.rate``), rad/s.
    viscosity : float or ndarray (points,)
        Pa s; a FormulaBearing has its own.
    angle : ndarray (points,), optional
        Of the bearing's body (output ``<body>.angle``), rad: the grid turns with it. Without it the grid keeps the inertial axes, which
        makes no difference to a bearing without grooves.
    at : ndarray (t,), optional
        Times of the fields, within `time`; all unless given. Between the run's points, places are cubic (Hermite).
    largest : float, optional
        The joint's ``transition.largest``: places beyond are brought inside as the joint does. Fields do not fade where solids touch.
    history : bool
        True: the content of the gaps is carried from each of the times `at` to the next (implicit Euler), for models that conserve mass.
        The fields then begin at the second of them.
    content : ndarray (n, m), optional
        With a history: fill times thickness at the first time, m; full gaps unless given.
    substeps : int
        Steps from one time to the next, with a history.
    warn : bool
        False: no warning of a grid that is too coarse.

    Raises
    ------
    ModelError : histories that do not fit or have no value, times outside the run, a place beyond the clearance, a history with a model
        that does not conserve mass or whose inlet turns with the journal.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.lubrication.fields import film_fields
    >>> from flexmbd.lubrication.reynolds import ReynoldsBearing
    >>> bearing = ReynoldsBearing(radius=0.05, clearance=5e-5, length=0.1, cells=(64, 8))
    >>> time, still = np.linspace(0.0, 0.1, 5), np.zeros(5)
    >>> found = film_fields(bearing, time, (still, still - 3e-5), (still, still), spins=(100.0, 0.0), viscosity=0.01, at=[0.05])
    >>> found.pressure.shape
    (1, 64, 8)
    """
    motion = _Motion(bearing, time, place, velocity, spins, viscosity, angle, largest)
    at = motion.time if at is None else np.asarray(at, float)
    if at.ndim != 1 or not len(at) or np.any(np.diff(at) <= 0.0):
        raise ModelError(f"{OWNER}: at must be an increasing array of times", element=OWNER)
    check_range(OWNER, "at", at, at_least=motion.time[0], at_most=motion.time[-1])
    if not history:
        if content is not None:
            raise ModelError(f"{OWNER}: content is for fields with a history", element=OWNER, remedy="give history=True, or leave it out")
        state, turned = motion.state(at)
        return _gathered(bearing, at, bearing.solve(*state, **turned, warn=warn), state, motion)
    return _marched(bearing, motion, at, content, substeps, warn)


def kept_inside(ratio, largest):
    """Factor on places with this eccentricity ratio, as in the joint: 1 up to ``2 largest - 1``, then the ratio tends to `largest`."""
    width = 1.0 - largest
    over = np.maximum(ratio - (largest - width), 0.0)
    return np.where(over > 0.0, (largest - width * width / (width + over)) / np.where(over > 0.0, ratio, 1.0), 1.0)


class _Motion:
    """The histories of one run, at any time."""

    def __init__(self, bearing, time, place, velocity, spins, viscosity, angle, largest):
        self.time = np.asarray(time, float)
        if self.time.ndim != 1 or len(self.time) < 2 or np.any(np.diff(self.time) <= 0.0):
            raise ModelError(f"{OWNER}: time must be an increasing array of at least two points", element=OWNER)
        (x, y), (vx, vy) = ([self._history(key, part) for part in pair] for key, pair in (("place", place), ("velocity", velocity)))
        self._x, self._y = CubicHermiteSpline(self.time, x, vx), CubicHermiteSpline(self.time, y, vy)
        self._spins = [self._history("spins", spin) for spin in spins]
        self._viscosity = None if viscosity is None else self._history("viscosity", viscosity)
        if viscosity is None and not hasattr(bearing, "film"):
            raise ModelError(f"{OWNER}: viscosity (Pa s) is missing", element=OWNER)
        if angle is None and bearing.grooves and np.any(self._spins[1] != 0.0):
            raise ModelError(
                f"{OWNER}: the grooves turn with the bearing", element=OWNER, remedy="give angle, the history of the bearing's body"
            )
        self._angle = None if angle is None else CubicHermiteSpline(self.time, self._history("angle", angle), self._spins[1])
        self._clearance, self._largest = bearing.clearance, largest
        if largest is not None:
            check_number(OWNER, "largest", largest, positive=True)
            check_range(OWNER, "largest", largest, above=0.5, below=1.0)

    def _history(self, key, values):
        values = np.asarray(values, float)
        if values.shape not in ((), self.time.shape):
            raise ModelError(f"{OWNER}: {key} has shape {values.shape}, the times have {self.time.shape}", element=OWNER)
        if not np.all(np.isfinite(values)):
            raise ModelError(f"{OWNER}: {key} has points without a value", element=OWNER, remedy="take a run that ended well")
        return np.broadcast_to(values, self.time.shape)

    def turn(self, at):
        """Angle of the grid's axes."""
        return np.zeros_like(at) if self._angle is None else self._angle(at)

    def turn_rate(self, at):
        """Spin of the grid's axes."""
        return np.zeros_like(at) if self._angle is None else self.spins(at)[1]

    def spins(self, at):
        """Spins of journal and bearing."""
        return [np.interp(at, self.time, spin) for spin in self._spins]

    def state(self, at):
        """x, y, vx, vy in the grid's axes, brought inside; spins seen from the grid and viscosity by name."""
        x, y, vx, vy = self._x(at), self._y(at), self._x(at, 1), self._y(at, 1)
        journal, bearing = self.spins(at)
        if self._largest is not None:
            factor = kept_inside(np.hypot(x, y) / self._clearance, self._largest)
            mean = 0.5 * (journal + bearing)
            # the joint's film feels V = (vx + s y, vy - s x) of the true place at the place brought inside
            vx, vy = vx + mean * (1.0 - factor) * y, vy - mean * (1.0 - factor) * x
            x, y = factor * x, factor * y
        if self._angle is not None:  # rates as they are seen in turning axes
            cos, sin = np.cos(self.turn(at)), np.sin(self.turn(at))
            vx, vy = vx + bearing * y, vy - bearing * x
            x, y, vx, vy = cos * x + sin * y, cos * y - sin * x, cos * vx + sin * vy, cos * vy - sin * vx
            journal, bearing = journal - bearing, np.zeros_like(bearing)
        turned = {"journal_spin": journal, "bearing_spin": bearing}
        viscosity = None if self._viscosity is None else np.interp(at, self.time, self._viscosity)
        return (x, y, vx, vy), {**turned, "viscosity": viscosity}


def _gathered(bearing, at, film, state, motion, **more):
    """`FilmFields` of solved films."""
    x, y, vx, vy = state
    journal, bearing_spin = motion.spins(at)
    frame = motion.turn_rate(at)
    fx, fy = film.force.T
    pushed = fx * (vx - frame * y) + fy * (vy + frame * x)
    turned = film.journal_torque * journal + film.bearing_torque * bearing_spin
    cos, sin = np.cos(motion.turn(at)), np.sin(motion.turn(at))
    return FilmFields(
        time=at, theta=film.theta, z=film.z, thickness=film.thickness[:, :, 0], pressure=film.pressure, fill=film.fill,
        force=np.stack((cos * fx - sin * fy, sin * fx + cos * fy), axis=1), journal_torque=film.journal_torque,
        bearing_torque=film.bearing_torque, max_pressure=film.pressure.max(axis=(1, 2)), min_thickness=bearing.clearance - np.hypot(x, y),
        side_flow=film.side_flow, supply_flow=film.supply_flow, friction_power=-turned, film_power=-turned - pushed, **more,
    )  # fmt: skip


def _marched(bearing, motion, at, content, substeps, warn):
    """The fields with the content carried along the orbit."""
    model = cavitation_model(bearing.cavitation) if hasattr(bearing, "cavitation") else None
    if model is None or not model.conserves_mass:
        what = "a film by formula" if model is None else f"cavitation '{model.name}'"
        raise ModelError(f"{OWNER}: {what} keeps no account of its oil", element=OWNER, remedy="use cavitation 'giacopini'")
    if bearing.inlet != "periodic":
        raise ModelError(
            f"{OWNER}: with a history the gaps need places of their own", element=OWNER, remedy="use inlet 'periodic', with a groove"
        )
    check_range(OWNER, "substeps", substeps, at_least=1)
    if len(at) < 2:
        raise ModelError(f"{OWNER}: a history needs at least two times", element=OWNER)
    times = np.concatenate([np.linspace(a, b, int(substeps) + 1)[:-1] for a, b in pairwise(at)] + [at[-1:]])
    grid = bearing.grid
    states, turned = motion.state(times)
    states = np.array(states)
    if content is None:
        theta = grid.x / bearing.radius
        gap = bearing.clearance - states[0, 0] * np.cos(theta) - states[1, 0] * np.sin(theta)
        content = np.repeat(gap[:, None], grid.across, axis=1)
    content = np.asarray(content, float)
    if content.shape != grid.shape:
        raise ModelError(f"{OWNER}: content has shape {content.shape}, the grid has {grid.shape}", element=OWNER)
    area, supplied, lost, start, films, books = 2.0 * grid.dx * grid.dz, 0.0, 0.0, None, [], []
    for k in range(1, len(times)):
        step = times[k] - times[k - 1]
        now = {key: value[k : k + 1] for key, value in turned.items()}
        film = bearing.solve(*states[:, k], **now, start=start, step=step, content=content[None], warn=warn)
        content, start, warn = film.content[0], film.full, False
        supplied, lost = supplied + step * film.supply_flow[0], lost + step * film.side_flow[0]
        if k % int(substeps) == 0:
            films.append(film)
            books.append((area * content.sum(), supplied, lost))
    joined = type(film)(*(film.z if key == "z" else np.concatenate([getattr(f, key) for f in films]) for key in film._fields))
    volume, supplied, lost = np.array(books).T
    kept = states[:, int(substeps) :: int(substeps)]
    return _gathered(bearing, at[1:], joined, kept, motion, volume=volume, supplied=supplied, lost=lost, content=content)
