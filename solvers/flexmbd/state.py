"""Rows that a simulation works with, by name: what each means, its unit, and how long it lives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from zipfile import BadZipFile

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.registry import CONTACT_ROWS, IMPACTS, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping import names
from flexmbd.suggest import unknown

ALIAS = 4096  # bytes: addresses that agree in what is left of a division by this are taken for the same at first
LIFETIMES = ("state", "step", "work")  # kept from step to step; within a step; within a function
CONTACT = ("mode", "impact_velocity", "penetration", "penetration_rate", "impacts", "least_impact_velocity")
CONTACT_MEANINGS = (
    "0 free, 0.25 free but may begin within a step, 1 in contact", "rate of penetration at the onset", "penetration",
    "its time derivative", "onsets so far", "least impact velocity",
)  # fmt: skip
CONTACT_UNITS = ("1", "m/s", "m", "m/s", "1", "m/s")
LANE = {
    "H": ("length of the step", "s"), "ERROR": ("error of the step, over the tolerance", "1"), "WHO": ("1: this lane is meant", "1"),
    "BETA_H2": ("of Newton's iteration: coordinate by acceleration", "s^2"), "GAMMA_BETA_H": ("velocity by coordinate", "1/s"),
    "STEP_SHARE": ("share of the step of a linear system", "s"), "FRACTION": ("of the step, for its interpolation", "1"),
    "OVER": ("1: an event of the scheme lies before the step's end, or it falls short of one", "1"), "CUT": ("the step to try next", "s"),
    "NEARNESS": ("of the rows to dependence at a point", "1"), "NEAREST": ("largest one in the trial step", "1"),
    "NEAR_AT_END": ("of the end of the trial step", "1"), "NEAR_WITHIN": ("largest one of its stages", "1"),
    "TIME_MARGIN": ("by which a step to an event is longer, so that it ends with the run", "s"),
    "NOMINAL_STEP": ("next step", "s"), "STEP_TO_EVENT": ("step to a located event; 0: none", "s"), "STEPS": ("steps so far", "1"),
    "REJECTED": ("rejected trial steps so far", "1"), "EVENTS": ("events so far", "1"), "STATUS": ("0: runs on", "1"),
    "VELOCITY_SCALE": ("largest velocity so far", "m/s"), "ANGULAR_SCALE": ("largest rate of a direction so far", "1/s"),
    "FLOORED": ("steps that were as short as they may be", "1"), "BEFORE": ("error of the step before", "1"),
    "LARGEST_DISTANCE": ("largest coordinate of a place so far", "m"), "NEXT_CHECK": ("trial steps at which the run is looked at", "1"),
    "LAST_CHECK_TIME": ("time at which it was", "s"), "MECHANISM_SIZE": ("size of the mechanism", "m"),
    "KEPT_BETA_H2": ("BETA_H2 of the kept factors", "s^2"), "KEPT_GAMMA_BETA_H": ("their GAMMA_BETA_H", "1/s"),
    "KEPT_RATE": ("rate of convergence with them; of runs that ended for it, of theirs, or the radius of their series (s)", "1"),
    "KEPT_START": ("1: Newton's iteration begins by the slope before", "1"), "DUE": ("next time that is recorded", "s"),
    "NEXT": ("just before the next known time", "s"), "PACE": ("fastest rate of given functions of time", "1/s"),
    "BOOKED": ("balance of energy at the start of the run", "J"), "NEAR_AT_START": ("nearness of the rows at the start of the step", "1"),
    "NEAREST_SO_FAR": ("largest nearness so far", "1"), "WHEN_NEAREST": ("its time", "s"), "LEAP": ("longest way in a step", "m"),
    "LARGEST_ENERGY": ("largest one that the fastest body would make of all masses, of those measured so far", "J"),
    "NEXT_MEASURE": ("steps at which it is measured again", "1"),
}  # fmt: skip
LOOP = tuple(name for name in LANE if getattr(names, name) < names.NOMINAL_STEP)  # of these, the rows of a step
_FORMERLY = {  # names of rows in states that were saved before
    "icm": "beta_h2", "cd": "gamma_beta_h", "half": "step_share", "slack": "time_margin", "hn": "nominal_step", "hc": "step_to_event",
    "slin": "velocity_scale", "sang": "angular_scale", "size": "largest_distance", "look": "next_check", "mark": "last_check_time",
    "span": "mechanism_size", "kept_icm": "kept_beta_h2", "kept_cd": "kept_gamma_beta_h",
}  # fmt: skip
_SINCE = {"leap": np.inf, "largest_energy": 0.0, "next_measure": 0.0}  # rows that they have not, and their values

# variables with the contact's number, by name
_OF_CONTACT = {"mode": MODE, "impact_velocity": ONSET_SPEED, "impacts": IMPACTS, "least_impact_velocity": LEAST_SPEED}
_SINGLE = {  # variables, by name
    "beta_h2": names.BETA_H2, "gamma_beta_h": names.GAMMA_BETA_H, "step_share": names.STEP_SHARE, "near": names.NEAREST,
    "booked": names.BOOKED,
}  # fmt: skip


@dataclass(frozen=True)
class LayoutRow:
    """One row of X.

    Attributes
    ----------
    name, meaning, unit : str
    lifetime : str
        One of `LIFETIMES`.
    """

    name: str
    meaning: str
    unit: str
    lifetime: str


@dataclass(frozen=True)
class State:
    """What motions go on from: rows of one or several samples, by name.

    Attributes
    ----------
    topology, integrator : str
        Of the model that they belong to.
    names : tuple of str
        Of all rows.
    parts : dict str -> (int, int)
        Rows that belong together, the first and how many: ``"coordinates"``, ``"velocities"``, ``"states"``, and slots of the integrator.
    values : ndarray (samples, rows)
    samples : dict str -> ndarray (samples,)
        Inputs that the model was built with.
    notes : dict str -> str
        What a change of inputs did when the motion that ends here went on, by element; a file has none.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> ball = s.point_mass("ball", mass=1.0)
    >>> sim = fm.compile(s, outputs=["ball.y"], end=1.0)
    >>> sim.step(sim.start(), until=0.3)["velocities"].round(6).tolist()
    [[0.0, -2.943]]
    """

    topology: str
    integrator: str
    names: tuple
    parts: dict
    values: np.ndarray
    samples: dict
    notes: dict = field(default_factory=dict)

    def __getitem__(self, name):
        """Values of a row (samples,), or of a part (samples, rows)."""
        if name in self.parts:
            first, count = self.parts[name]
            return self.values[:, first : first + count]
        if name not in self.names:
            raise unknown("row", name, (*self.parts, *self.names))
        return self.values[:, self.names.index(name)]

    @property
    def time(self):
        """Times of the samples in s."""
        return self["time"]

    def copy(self):
        """A state of its own."""
        return replace(self, values=self.values.copy(), samples={name: np.array(x) for name, x in self.samples.items()})

    def save(self, path):
        """Write it to a file (``.npz``)."""
        known = {f"input:{name}": values for name, values in self.samples.items()}
        parts = {f"part:{name}": np.array(place) for name, place in self.parts.items()}
        words = {"topology": self.topology, "integrator": self.integrator, "names": np.array(self.names)}
        with open(path, "wb") as stream:
            np.savez_compressed(stream, values=self.values, **words, **known, **parts)

    @classmethod
    def load(cls, path):
        """Read one from a file.

        Raises
        ------
        ModelError
            If it is no such file.
        """
        try:
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as found:
                inputs, parts = ({k.partition(":")[2]: found[k] for k in found if k.startswith(f"{kind}:")} for kind in ("input", "part"))
                parts = {name: tuple(place.tolist()) for name, place in parts.items()}
                rows, values = tuple(_FORMERLY.get(name, name) for name in found["names"].tolist()), found["values"]
                for name in _SINCE.keys() - rows:
                    at = getattr(names, name.upper())
                    rows, values = (*rows[:at], name, *rows[at:]), np.insert(values, at, _SINCE[name], axis=1)
                    parts = {part: (first + (first >= at), count) for part, (first, count) in parts.items()}
                return cls(str(found["topology"]), str(found["integrator"]), rows, parts, values, inputs)
        except (OSError, KeyError, ValueError, TypeError, EOFError, BadZipFile) as error:
            raise ModelError(f"'{path}' is not a state that was saved: {error}", remedy="give a file that State.save wrote") from None


class Layout:
    """Which row is which.

    Parameters
    ----------
    problem : Problem
    scheme : Integrator
    width : int
        Lanes.
    ledgers, asked : int, bool
        How many of the last further states add up energy, and whether somebody wants them: else they are not among the ``"states"`` of a
        `State`.

    Attributes
    ----------
    count : int
        Rows of X.
    sizes : dict str -> int
        Entries of the table (`flexmbd.stepping.names`) that say how many rows there are, and where they begin.
    work : int
        Rows of W that functions with a fixed place for their results need; behind them they work.
    """

    def __init__(self, problem, scheme, width, ledgers=0, asked=False):
        self.problem, self.scheme, self.width, self.count, self._groups, self._named = problem, scheme, width, 0, [], {}
        self._unasked = 0 if asked else ledgers
        n, m, contacts = problem.n, len(problem.states), problem.contacts
        multipliers = len(problem.rows) * scheme.multipliers
        rates = max(n, multipliers)
        self.sizes = {"N": n, "M": m, "NC": len(contacts), "NM": multipliers, "RATES": rates, "GAPS": rates + m, "LAST": scheme.last}
        self.sizes |= {"LEDGERS": ledgers, "NU": len(problem.unilaterals), "ND": sum(len(c.rates) for c in problem.unilaterals)}
        stride = self.sizes["STRIDE"] = rates + m + 2 * len(contacts)
        self._add(names.LANE_ROWS, self._lane)
        self._add(1 + 2 * n + m, lambda: self._point("", "state"))
        self._add((CONTACT_ROWS + 2) * len(contacts), self._contacts, "CONTACTS")
        most = "largest absolute value so far"
        self._add(m, lambda: [LayoutRow(f"largest.{x.name}", most, "", "state") for x in problem.states], "LARGEST")
        kept = max(k for k, slot in enumerate(scheme.slots) if slot.kept)
        for k, slot in enumerate(scheme.slots):
            life = "state" if k <= kept else "step"
            self._add(stride, lambda slot=slot, life=life: self._slot(slot, life), "SLOTS" if k == 0 else "")
            if k == kept:
                self.sizes["STATE_ROWS"] = self.count
        self._add(1 + 2 * n + m, lambda: self._point("middle.", "step"), "MIDDLE")
        gap = self._gap()
        self._add(gap, lambda: [LayoutRow(f"unused {k}", "nothing", "", "step") for k in range(gap)])
        self._add(1 + 2 * n + m, lambda: self._point("end.", "step"), "END")
        if contacts or problem.unilaterals:
            self._add(1 + 2 * n + m, lambda: self._point("inside.", "step"), "INSIDE")
        self.sizes |= {"FACTORS": self.count, "KEPT": 0}
        largest = n + multipliers + (n if scheme.multipliers > 1 else 0)
        gaps = 2 * (len(contacts) + len(problem.unilaterals))
        self.work = max(2 * n, largest, 5, sum(len(c.assigns) for c in contacts), gaps, scheme.work(problem) if scheme.work else 0) + 1

    @property
    def rows(self):
        """List of `Row`, all of X; of a large system they are many."""
        return [row for made in self._groups for row in made()]

    def _add(self, count, rows, key=""):
        """So many rows, the first of which is entry `key` of the table."""
        if key:
            self.sizes[key] = self.count
        self._groups.append(rows)
        self.count += count

    def _gap(self):
        """Unused rows before the end of a step.

        A processor that has just stored a row waits with a load of another one whose address has the same last bits, as if it were that.
        Stages store places and velocities of the end row by row, and load those of the start, and all slots, next to each other.
        """
        n, period = self.sizes["N"], max(1, ALIAS // (8 * self.width))
        loads = [names.T + 1, names.T + 1 + n, *(self.sizes["SLOTS"] + k * self.sizes["STRIDE"] for k in range(len(self.scheme.slots)))]

        def waits(gap):
            stores = self.count + gap + 1, self.count + gap + 1 + n
            return sum(1.0 / ahead for store in stores for row in loads for ahead in range(1, 9) if (row + ahead - store) % period == 0)

        return min(range(min(period, 64)), key=waits)

    def _lane(self):
        own = sorted(LANE, key=lambda name: getattr(names, name))
        return [LayoutRow(name.lower(), *LANE[name], "step" if name in LOOP else "state") for name in own]

    def _point(self, prefix, lifetime):
        found = [LayoutRow(f"{prefix}time", "time", "s", lifetime)]
        for mark, meaning, units in (("", "coordinate", ("m", "1")), ("'", "velocity", ("m/s", "1/s"))):
            for name, measure in zip(self.problem.coordinates, self.problem.measures, strict=True):
                found.append(LayoutRow(f"{prefix}{name}{mark}", meaning, units[measure == "angle"], lifetime))
        return found + [LayoutRow(f"{prefix}{x.name}", "further state", "", lifetime) for x in self.problem.states]

    def _contacts(self):
        columns = list(zip(CONTACT, CONTACT_MEANINGS, CONTACT_UNITS, strict=True))
        found = [LayoutRow(f"{c.name}.{key}", meaning, unit, "state") for c in self.problem.contacts for key, meaning, unit in columns]
        nearness = "penetration within which events are located"
        found += [LayoutRow(f"{c.name}.event_tolerance", nearness, "m", "state") for c in self.problem.contacts]
        return found + [LayoutRow(f"{c.name}.deepest", "largest penetration so far", "m", "state") for c in self.problem.contacts]

    def _slot(self, slot, lifetime):
        own = [*self.problem.coordinates, *(f"row {k}" for k in range(self.sizes["N"], self.sizes["RATES"]))]
        own += [f"{x.name}'" for x in self.problem.states]
        own += [f"{c.name}.{key}" for c in self.problem.contacts for key in CONTACT[2:4]]
        return [LayoutRow(f"{slot.name}.{name}", slot.meaning, "", lifetime) for name in own]

    def keep(self, count):
        """Rows of what the scheme keeps of linear equations, from `FACTORS` on."""
        self.sizes["KEPT"] = count
        self._add(count, lambda: [LayoutRow(f"kept.{k}", "kept of linear equations", "", "state") for k in range(count)])

    def aside(self):
        """Rows in which the end of a step is put aside, with all slots."""
        counts = {"end": 1 + 2 * self.sizes["N"] + self.sizes["M"], "slot": self.sizes["STRIDE"] * len(self.scheme.slots)}
        rows = [f"{what} {k}" for what, count in counts.items() for k in range(count)]
        self._add(len(rows), lambda: [LayoutRow(f"aside.{name}", "put aside", "", "step") for name in rows], "ASIDE")

    def signals(self, signals, reduced, windows=(), sections=()):
        """Rows of outputs: their sums, and their values at the start, in the middle and at the end of a step."""
        sums = ("largest", "time of largest", "smallest", "time of smallest", "integral", "integral of the square")
        totals = [f"{name}: {what}" for name in signals[:reduced] for what in sums]
        self._add(len(totals), lambda: [LayoutRow(name, "of the steps so far", "", "state") for name in totals], "SUMS")
        of_window = [*sums, "begin", "end", *(f"{what} of this turn" for what in (*sums, "begin")), "angle at the start", "whole turns"]
        of_section = "signal", "points", "from", "time between points", "number of the next point", "level", "mark", "time"
        for key, asked, parts, meaning in (("WINDOWS", windows, of_window, "a window"), ("SECTIONS", sections, of_section, "a section")):
            if asked:
                rows = [LayoutRow(f"{name}: {what}", f"of {meaning}", "", "state") for name in asked for what in parts]
                self._add(len(rows), lambda rows=rows: rows, key)
        for key, life in (("Y0", "state"), ("YM", "step"), ("Y1", "step")):
            self._add(len(signals), lambda key=key, life=life: [LayoutRow(f"{key.lower()}.{x}", "output", "", life) for x in signals], key)
        self.sizes |= {"NS": len(signals), "NR": reduced, "NW": len(windows)}
        self.sizes["OUT_ROWS"] = self.sizes["Y0"] - self.sizes["SUMS"] + len(signals)

    def kept_rows(self, factors):
        """How many rows a sample's state has; with `factors` those of linear equations too."""
        return self.sizes["STATE_ROWS"] + self.sizes["OUT_ROWS"] + (self.sizes["KEPT"] if factors else 0)

    def kept_names(self, factors):
        """Their names."""
        if (factors, self.count) in self._named:
            return self._named[factors, self.count]
        rows, size = self.rows, self.sizes
        ranges = (0, size["STATE_ROWS"]), (size["SUMS"], size["OUT_ROWS"]), (size["FACTORS"], size["KEPT"] if factors else 0)
        found = self._named[factors, self.count] = tuple(row.name for start, count in ranges for row in rows[start : start + count])
        return found

    def parts(self):
        """Rows of the state that belong together: the first and how many."""
        n, own, q = self.sizes["N"], {"multiplier": self.sizes["NM"]}, names.START + 1
        found = {"coordinates": (q, n), "velocities": (q + n, n), "states": (q + 2 * n, self.sizes["M"] - self._unasked)}
        slots = {slot.name: (self.slot(slot.name), own.get(slot.name, n)) for slot in self.scheme.slots}
        return found | {name: place for name, place in slots.items() if place[0] < self.sizes["STATE_ROWS"]}

    def slot(self, name):
        """First row of a slot."""
        return self.sizes["SLOTS"] + self.scheme.place(name) * self.sizes["STRIDE"]

    def has(self, kind):
        """Whether run-time variables of a kind are read with this scheme."""
        return kind in self.scheme.reads

    def place(self, variable):
        """Array and row of a run-time variable; arrays are those of `codegen.functions`."""
        n, kind, k = self.sizes["N"], variable.space, variable.number or 0
        if kind in ("t", "q", "v", "s"):
            return "x", {"t": 0, "q": 1, "v": 1 + n, "s": 1 + 2 * n}[kind] + k
        if kind in _OF_CONTACT:
            return "X", self.sizes["CONTACTS"] + CONTACT_ROWS * k + _OF_CONTACT[kind]
        if kind in _SINGLE:
            return "X", _SINGLE[kind]
        slot, part = self.scheme.reads[kind]
        if slot == "start":
            return "X", names.START + 1 + n + k
        offset = {"": 0, "rates": self.sizes["RATES"], "second": len(self.problem.rows)}[part]
        if slot in ("y", "kept"):
            return ("y", offset + k) if slot == "y" else ("X", self.sizes["FACTORS"] + k)
        return "X", self.slot(slot) + offset + k


def blocks(counts, width):
    """Zeros (count, width) of so many rows each, one behind another from the beginning of a page: times do not depend on where they lie."""
    sizes = [-(-count * width // 8) * 8 for count in counts]  # whole lines of the cache
    room = np.zeros(sum(sizes) + ALIAS // 8)
    ends = np.cumsum([-(room.ctypes.data // 8) % (ALIAS // 8), *sizes])
    return [room[first : first + count * width].reshape(count, width) for first, count in zip(ends, counts, strict=False)]
