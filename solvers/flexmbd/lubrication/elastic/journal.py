"""A journal with mass in an elastic bearing, through time."""

from typing import NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number


class JournalRun(NamedTuple):
    """History of a journal; s steps, with the start first."""

    time: np.ndarray  # (s + 1,) s
    place: np.ndarray  # (s + 1, 2) m
    velocity: np.ndarray  # (s + 1, 2) m/s
    force: np.ndarray  # (s + 1, 2) of the film on the journal, N
    largest_pressure: np.ndarray  # (s + 1,) Pa
    smallest_thickness: np.ndarray  # (s + 1,) m
    largest_deflection: np.ndarray  # (s + 1,) m
    steps: np.ndarray  # (s,) int: Newton steps (strong) or turns (weak)
    film: object  # ElasticFilm at the end


def run_journal(bearing, force, *, step, count, mass, viscosity, place=(0.0, 0.0), velocity=(0.0, 0.0), journal_spin=0.0, bearing_spin=0.0):
    """`JournalRun` of `count` steps (implicit Euler, first order) from a film that presses as a steady one at `place`.

    Parameters
    ----------
    bearing : ElasticBearing
    force : callable
        Time in s -> external force (2,) in N.
    step : float
        In s.
    count : int
    mass : float
        In kg.
    viscosity : float
        Pa s.
    place, velocity : (2,)
        At the start, m and m/s.
    journal_spin, bearing_spin : float
        rad/s.

    Raises
    ------
    ModelError : a step that is not solved, with its time.
    """
    if not isinstance(count, int | np.integer) or count < 1:
        raise ModelError(f"run of a journal: count is {count!r}", remedy="give a whole number of steps, at least 1")
    step = check_number("run of a journal", "step", step, positive=True)
    oil = dict(viscosity=viscosity, journal_spin=journal_spin, bearing_spin=bearing_spin)
    film, v = bearing.at(*place, **oil), np.asarray(velocity, float)
    films, speeds = [film], [v]
    for k in range(1, count + 1):
        try:
            film, v = bearing.advance(film, v, step, force(k * step), mass=mass, **oil)
        except ModelError as failed:
            raise ModelError(f"at {k * step:.4g} s: {failed.message}", remedy=failed.remedy) from None
        films.append(film)
        speeds.append(v)
    return JournalRun(
        time=step * np.arange(count + 1), place=np.array([f.place for f in films]), velocity=np.array(speeds),
        force=np.array([f.force for f in films]), largest_pressure=np.array([f.largest_pressure for f in films]),
        smallest_thickness=np.array([f.smallest_thickness for f in films]),
        largest_deflection=np.array([f.deflection.max() for f in films]), steps=np.array([f.steps for f in films[1:]]), film=film,
    )  # fmt: skip
