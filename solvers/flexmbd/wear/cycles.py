"""Wear that feeds back: run, wear by Archard, worn profile, run again; theory: docs/theory/wear.md."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.worn_surface import WornProfile, WornSurface
from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.running.batch import describe
from flexmbd.running.simulate import run
from flexmbd.wear.overlap import overlap_wear

NEEDED = ("normal", "slip", "worn_x", "worn_y", "worn_angle", "penetration")
LEAST = 0.02  # radius of curvature of the play region that a profile keeps, by clearance and mean depth: the contact's angle stays sharp


@dataclass(frozen=True)
class WearHistory:
    """Wear of one joint for n samples, before the first update and after each.

    Attributes
    ----------
    cycles : ndarray (updates + 1, n)
        Cycles so far.
    surfaces : tuple of WornSurface, length updates + 1
        All wear until then.
    profiles : tuple of WornProfile, length updates + 1
        What the joint was run with.
    volume, depth : ndarray (updates + 1, n)
        Volume lost (m^3), and the largest depth of a bin (m).
    outputs : dict name -> ndarray (updates + 1, n) or (updates + 1, n, points)
        Of the runs with these profiles.
    time : ndarray (points,)
        s.
    """

    cycles: np.ndarray
    surfaces: tuple
    profiles: tuple
    volume: np.ndarray
    depth: np.ndarray
    outputs: dict
    time: np.ndarray


def wear_cycles(
    equations,
    samples,
    *,
    joint,
    cycles,
    updates,
    end,
    points,
    start=0.0,
    coefficient,
    hardness,
    length,
    order=12,
    bins=180,
    outputs=(),
    settings=None,
):
    """Wear of a dry clearance joint's bearing over many cycles, the worn profile put back into the joint after every update.

    Between ``start`` and ``end`` of each run lies one cycle; its wear counts ``cycles / updates`` times.  The error of that is of
    first order in the size of an update.

    Parameters
    ----------
    equations : callable
        ``build(worn=WornProfile, **inputs) -> System``, which hands `worn` to the joint.
    samples : mapping name -> ndarray (n,)
        Inputs of `equations`.
    joint : str
        Name of a `ClearanceRevolute` with `bearing_radius`.
    cycles : float or ndarray (n,)
        In all.
    updates : int
        Runs are one more: the last with the profile at the end.
    end, points, start : float, int, float
        Time grid ``linspace(0, end, points)`` of a run, and where its cycle begins (before it the motion may settle), s.
    coefficient, hardness, length : float or ndarray (n,)
        k and H (Pa) of Archard's law, length of the bearing (m); see `archard`.
    order, bins : int
        Harmonics of the joint's profile, bins of the circumference.
    outputs : sequence of str
        Further outputs to keep of every run.
    settings : mapping, optional
        Of `run`.

    Returns
    -------
    WearHistory

    Raises
    ------
    ModelError
        If a number is out of range, the joint has no profile or bearing radius, a run fails, or too few points lie in the cycle.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def joint(worn):
    ...     s = fm.System(gravity=(0.0, -9.81))
    ...     shaft = s.body("shaft", mass=1.0, inertia=1e-4, position=(0.0, -1e-4), rate=100.0)
    ...     law, friction = fm.KelvinVoigt(1e7, 1e3), fm.Ambrosio(0.1, 1e-4, 1e-3)
    ...     hole = s.ground.at(0.0, 0.0)
    ...     pin = s.add(fm.ClearanceRevolute("pin", shaft.centre, hole, 1e-4, law, friction, bearing_radius=0.01, worn=worn))
    ...     return s
    >>> wear = {"coefficient": 1e-4, "hardness": 2e9, "length": 0.02}
    >>> found = fm.wear_cycles(joint, {}, joint="pin", cycles=1e5, updates=1, end=0.02, points=41, **wear)
    >>> found.volume.shape, bool(found.volume[-1, 0] > 0.0)  # updates + 1, samples; m³
    ((2, 1), True)
    """
    cycle = _cycle(joint, cycles, updates, end, points, start, order, bins)
    samples = {key: np.atleast_1d(np.asarray(values, float)) for key, values in samples.items()}
    count = len(next(iter(samples.values()), [0.0]))
    coefficient, hardness, length, cycles = (np.broadcast_to(x, count).astype(float) for x in (coefficient, hardness, length, cycles))

    def worn(**inputs):
        cosine, sine = (_harmonics(inputs, letter, order) for letter in "cs")
        return equations(worn=WornProfile(inputs.pop("worn_mean"), cosine, sine), **inputs)

    zero = np.zeros((count, order))
    profile = WornProfile(np.zeros(count), zero, zero)
    clearance, radius = _sizes(worn, samples | _numbers(profile), joint, count)
    surface = WornSurface(np.zeros((count, bins)), radius, length)
    wanted = list(dict.fromkeys([*(f"{joint}.{key}" for key in NEEDED), *outputs]))
    surfaces, profiles, kept = [surface], [profile], []
    for update in range(updates + 1):
        trajectory = run(worn, samples | _numbers(profile), end=end, points=points, outputs=wanted, settings=settings)
        if trajectory.status.any():
            i = int(np.argmax(trajectory.status > 0))
            told = f"sample {i} failed after {update} of {updates} updates: {trajectory.message[i]}"
            raise ModelError(f"wear of joint '{joint}': {told}", element=joint)
        kept.append([trajectory.outputs[name] for name in outputs])
        if update == updates:
            break
        force, slip, x, y, angle, penetration = (trajectory.outputs[f"{joint}.{key}"][:, cycle] for key in NEEDED)
        surface = surface + overlap_wear(
            trajectory.time[cycle], np.maximum(force, 0.0), slip, x, y, penetration, angle=angle, before=surface, clearance=clearance,
            coefficient=coefficient * cycles / updates, hardness=hardness, radius=radius, length=length,
        )  # fmt: skip
        profile = surface.profile(order).rounded(clearance, LEAST)
        surfaces.append(surface)
        profiles.append(profile)
    return WearHistory(
        np.linspace(0.0, 1.0, updates + 1)[:, None] * cycles,
        tuple(surfaces),
        tuple(profiles),
        np.array([s.total for s in surfaces]),
        np.array([s.depth.max(-1) for s in surfaces]),
        {name: np.array(column) for name, column in zip(outputs, zip(*kept, strict=True), strict=True)},
        trajectory.time,
    )


def _cycle(joint, cycles, updates, end, points, start, order, bins):
    """Which points of time lie in the cycle; raises what is wrong with the numbers."""
    owner = f"wear of joint '{joint}'"
    check_range(owner, "updates", updates, at_least=1)
    check_range(owner, "points", points, at_least=2)
    check_range(owner, "order", order, at_least=0, at_most=bins / 2)
    check_range(owner, "start", start, at_least=0.0, below=end)
    check_number(owner, "cycles", cycles, positive=True)
    cycle = np.linspace(0.0, end, points) >= start - 1e-9 * end
    if cycle.sum() < 2:
        raise ModelError(f"{owner}: fewer than two points of time lie between start and end", element=joint, remedy="take more points")
    return cycle


def _numbers(profile):
    """A profile as inputs of a model: arrays over samples."""
    columns = {f"worn_{letter}{k}": x[:, k] for letter, x in (("c", profile.cosine), ("s", profile.sine)) for k in range(profile.order)}
    return {"worn_mean": profile.mean, **columns}


def _harmonics(inputs, letter, order):
    """(..., order) coefficients, taken out of the inputs of a model."""
    columns = [np.asarray(inputs.pop(f"worn_{letter}{k}")) for k in range(order)]
    return np.stack(columns, -1) if columns else np.zeros((*np.shape(inputs["worn_mean"]), 0))


def _sizes(equations, samples, joint, count):
    """Clearance and bearing radius (n,) of the joint."""
    system, good, message = describe(equations, samples)
    if len(good) < count:
        raise ModelError(f"wear of joint '{joint}': the model cannot be built: {next(m for m in message if m)}", element=joint)
    numbers = system.parameters()
    for key, remedy in (
        ("clearance", "joint must name a ClearanceRevolute of the model"),
        ("bearing_radius", "give the joint a bearing_radius"),
        ("worn.mean", "the model must hand its argument worn to the joint"),
    ):
        if f"@{joint}.{key}" not in numbers:
            raise ModelError(f"wear of joint '{joint}': the model has no such joint with {key}", element=joint, remedy=remedy)
    return tuple(np.broadcast_to(numbers[f"@{joint}.{key}"], count).astype(float) for key in ("clearance", "bearing_radius"))


__all__ = ["WearHistory", "wear_cycles"]
