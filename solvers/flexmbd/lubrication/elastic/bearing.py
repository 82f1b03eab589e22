"""Journal bearing with an elastic liner: at a given place, under a given load, or one step of time ahead."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lubrication.elastic.coupled_film import FilmEquations, FilmState, Journal
from flexmbd.lubrication.elastic.stencil import Stencil
from flexmbd.lubrication.elastic.strong import solve_strong
from flexmbd.lubrication.elastic.weak import solve_weak
from flexmbd.lubrication.reynolds.barus import reduced_pressure
from flexmbd.lubrication.reynolds.bearing import ReynoldsBearing
from flexmbd.lubrication.reynolds.checks import check_history, check_level
from flexmbd.lubrication.reynolds.giacopini import Giacopini
from flexmbd.lubrication.reynolds.quasi_static import SwiftStieber
from flexmbd.lubrication.reynolds.solve import cavitation_model

COUPLINGS = ("strong", "weak")


class ElasticFilm(NamedTuple):
    """One solved film; n cells around, m over half of the length."""

    theta: np.ndarray  # (n,) angle of the cells' centres, rad
    z: np.ndarray  # (m,) distance from the middle, m
    thickness: np.ndarray  # (n, m) m
    pressure: np.ndarray  # (n, m) Pa
    deflection: np.ndarray  # (n, m) outward, m
    fill: np.ndarray  # (n, m)
    content: np.ndarray  # (n, m) fill times thickness, m
    place: np.ndarray  # (2,) journal's centre, m; may lie beyond the clearance
    force: np.ndarray  # (2,) on the journal, N
    side_flow: float  # out of both sides, m^3/s
    steps: int  # Newton steps (strong) or turns (weak)
    history: tuple  # residuals by Newton step (strong), or changes of the deflection over the clearance by turn (weak)
    unknowns: np.ndarray  # (n, m) to start a similar film

    @property
    def largest_pressure(self):
        """In Pa."""
        return float(self.pressure.max())

    @property
    def smallest_thickness(self):
        """In m."""
        return float(self.thickness.min())


@dataclass(frozen=True)
class ElasticBearing:
    """Plain bearing whose surface yields to the film's pressure: ``h = c - x cos(theta) - y sin(theta) + delta(p)``.

    Parameters
    ----------
    bearing : ReynoldsBearing
        With inlet ``"periodic"`` and cavitation ``"reynolds"`` or ``"giacopini"``.
    liner : WinklerLiner or RingLiner
    coupling : str
        ``"strong"``: film and liner together by Newton's method; ``"weak"``: in turn.
    relaxation : float
        Of the weak coupling, above 0 to 1.
    turns : int
        Of the weak coupling, at most.
    """

    bearing: ReynoldsBearing
    liner: Any
    coupling: str = "strong"
    relaxation: float = 0.5
    turns: int = 200

    def __post_init__(self):
        if self.coupling not in COUPLINGS:
            raise ModelError(f"elastic bearing: coupling is {self.coupling!r}; it must be 'strong' or 'weak'")
        if self.bearing.inlet != "periodic":
            raise ModelError(
                f"elastic bearing: inlet is {self.bearing.inlet!r}", remedy="use inlet 'periodic' (and a groove or side pressure)"
            )
        model = cavitation_model(self.bearing.cavitation)
        if not isinstance(model, SwiftStieber | Giacopini):
            raise ModelError(
                f"elastic bearing: cavitation is '{model.name}'; it must be 'reynolds' or 'giacopini'",
                remedy="the liner has to feel the pressure that the film has, without what a cut takes away or a bulk modulus",
            )
        check_range("elastic bearing", "relaxation", self.relaxation, above=0.0, at_most=1.0)
        if not isinstance(self.turns, int | np.integer) or self.turns < 1:
            raise ModelError(f"elastic bearing: turns is {self.turns!r}", remedy="give a whole number, at least 1")

    @cached_property
    def compliance(self):
        """`LocalCompliance` or `RingCompliance` of the liner on the film's grid."""
        return self.liner.compliance(self.bearing.grid, self.bearing.radius)

    @cached_property
    def _stencil(self):
        return Stencil.of(self.bearing.grid)

    @cached_property
    def _directions(self):
        """(2, n, m) thickness by the journal's place."""
        grid = self.bearing.grid
        theta = grid.x / self.bearing.radius
        return -np.stack((np.cos(theta), np.sin(theta)))[:, :, None] * np.ones(grid.across)

    def at(self, x, y, vx=0.0, vy=0.0, *, viscosity, journal_spin=0.0, bearing_spin=0.0, start=None, step=None, content=None):
        """`ElasticFilm` of a journal at (x, y) m with velocity (vx, vy) m/s.

        Without `step` the liner's own rate is left out (a film that stays as it is, or a quasi-static one).

        Parameters
        ----------
        viscosity : float
            Pa s (at no pressure).
        journal_spin, bearing_spin : float
            rad/s.
        start : ElasticFilm, optional
            A similar film.
        step, content : optional
            Time step in s and content (n, m) in m before it: squeeze by journal and liner; (vx, vy) are not used then.

        Raises
        ------
        ModelError : what cannot be solved, or is not.
        """
        directions = self._directions
        place, velocity = (np.array([check_number("elastic bearing", k, v) for k, v in zip("xy", pair)]) for pair in ((x, y), (vx, vy)))
        options, pressure = self._film(viscosity, journal_spin, bearing_spin, np.linalg.norm(velocity), step, content)
        options["squeeze"] = np.tensordot(velocity, directions, 1)
        still = Journal(directions[:0], np.zeros(0))
        shift = np.tensordot(place, directions, 1)

        def path(fraction):
            return self._equations(options, self.bearing.clearance + fraction * shift, still, pressure)

        return self._solve(path, start, np.zeros(0), place)

    def under(self, load, *, viscosity, journal_spin=0.0, bearing_spin=0.0, start=None):
        """`ElasticFilm` of a journal that turns steadily under the external force `load` (2,) N; its place is found."""
        load = self._pair("load", load)
        options, pressure = self._film(viscosity, journal_spin, bearing_spin)
        pressure = max(pressure, self._mean_pressure(load))

        def path(fraction):
            journal = Journal(self._directions, fraction * load)
            return self._equations(options, np.full(self.bearing.grid.shape, self.bearing.clearance), journal, pressure)

        return self._solve(path, start, np.zeros(2) if start is None else start.place)

    def advance(self, film, velocity, step, force, *, mass, viscosity, journal_spin=0.0, bearing_spin=0.0):
        """(`ElasticFilm`, velocity (2,) m/s) one step of the implicit Euler rule later; film, liner and journal by one rule.

        ``mass (v - v_old)/step = force + film's force, v = (e - e_old)/step``, squeeze ``(h - h_old)/step`` with the liner's.

        Parameters
        ----------
        film : ElasticFilm
            Before the step.
        velocity, force : (2,) ndarray
            Velocity before it, m/s; external force at its end, N.
        step, mass : float
            s and kg.
        """
        step, mass = (check_number("elastic bearing", k, v, positive=True) for k, v in (("step", step), ("mass", mass)))
        force, velocity = self._pair("force", force), self._pair("velocity", velocity)
        options, pressure = self._film(viscosity, journal_spin, bearing_spin, np.linalg.norm(velocity), step, film.content)
        pressure = max(pressure, self._mean_pressure(force))
        journal = Journal(self._directions, force, mass / step**2, film.place + step * velocity)

        def path(fraction):
            return self._equations(options, np.full(self.bearing.grid.shape, self.bearing.clearance), journal, pressure)

        found = self._solve(path, film, film.place, grows=False)
        return found, (found.place - film.place) / step

    def _pair(self, key, value):
        value = np.asarray(value, float)
        check_range("elastic bearing", key, value)
        if value.shape != (2,):
            raise ModelError(f"elastic bearing: {key} has shape {value.shape}; it must be two numbers")
        return value

    def _mean_pressure(self, force):
        return float(np.linalg.norm(force)) / (2.0 * self.bearing.radius * self.bearing.length)

    def _film(self, viscosity, journal_spin, bearing_spin, speed=0.0, step=None, content=None):
        """Options of `reynolds_problem`, and a typical pressure in Pa."""
        b = self.bearing
        viscosity = check_number("elastic bearing", "viscosity", viscosity, positive=True)
        entrainment = (
            0.5 * b.radius * (check_number("film", "journal_spin", journal_spin) + check_number("film", "bearing_spin", bearing_spin))
        )
        mask, supply = b.supplied()
        side, supply = (reduced_pressure(p, b.pressure_viscosity) for p in (b.side_pressure, supply))
        options = dict(viscosity=viscosity, entrainment=entrainment, side=side, supplied=mask, supply=supply)
        if step is not None:
            options |= dict(step=step, content=None if content is None else np.asarray(content, float)[None])
        moved = abs(entrainment) + speed * b.radius / b.clearance
        return options, max(6.0 * viscosity * moved * b.radius / b.clearance**2, float(np.max(supply)), abs(float(side)))

    def _equations(self, options, gap, journal, pressure):
        b, grid = self.bearing, self.bearing.grid
        pressure = pressure or 1.0  # nothing moves or presses
        flow = pressure * b.clearance**3 / (12.0 * options["viscosity"]) * grid.dz / grid.dx
        scale = (pressure, flow, max(float(np.linalg.norm(journal.load)), pressure * b.radius * b.length, journal.inertia * b.clearance))
        mass = cavitation_model(b.cavitation).conserves_mass
        return FilmEquations(grid, gap, options, self.compliance, mass, b.pressure_viscosity, journal, scale, self._stencil)

    def _solve(self, path, start, y, place=None, grows=True):
        whole = path(1.0)
        problem = whole.problem(np.full(whole.grid.shape, self.bearing.clearance))
        check_level(problem)
        if whole.mass:
            check_history(cavitation_model(self.bearing.cavitation), problem)
        if start is not None and start.unknowns.shape != whole.grid.shape:
            raise ModelError(
                f"elastic bearing: the start has {start.unknowns.shape} cells", remedy=f"it must have {whole.grid.shape}, as the bearing"
            )
        w = whole.quiet() if start is None else start.unknowns
        if self.coupling == "strong":
            state, history, steps = solve_strong(path, w, y, grows=grows)
        else:
            deflection = None if start is None else start.deflection
            state, history, steps = solve_weak(path, w, y, relaxation=self.relaxation, turns=self.turns, grows=grows, start=deflection)
        return self._result(whole, state, state.y if place is None else place, history, steps)

    def _result(self, whole, state: FilmState, place, history, steps):
        grid = whole.grid
        area = 2.0 * grid.dx * grid.dz
        return ElasticFilm(
            theta=grid.x / self.bearing.radius, z=grid.z, thickness=state.thickness, pressure=state.pressure, deflection=state.deflection,
            fill=state.fill[0], content=state.content, place=place, force=area * np.tensordot(self._directions, state.pressure, 2),
            side_flow=2.0 * float(state.flows[1][0, :, -1].sum()), steps=steps, history=tuple(history), unknowns=state.w,
        )  # fmt: skip
