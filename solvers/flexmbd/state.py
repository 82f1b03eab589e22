"""Rows that a simulation works with, by name: what each means, its unit, and how long it lives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from zipfile import BadZipFile

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.registry import CONTACT_ROWS
from flexmbd.stepping import names
from flexmbd.suggest import unknown

LIFETIMES = ("state", "step", "work")  # kept from step to step; within a step; within a function
CONTACT = ("mode", "impact_velocity", "penetration", "penetration_rate", "impacts", "least_impact_velocity")
CONTACT_MEANINGS = (
    "0 free, 0.25 free but may begin within a step, 1 in contact", "rate of penetration at the onset", "penetration",
    "its time derivative", "onsets so far", "least impact velocity",
)  # fmt: skip
CONTACT_UNITS = ("1", "m/s", "m", "m/s", "1", "m/s")
LANE = {
    "H": ("length of the step", "s"), "ERROR": ("error of the step, over the tolerance", "1"), "WHO": ("1: this lane is meant", "1"),
    "ICM": ("of Newton's iteration: coordinate by acceleration", "s^2"), "CD": ("velocity by coordinate", "1/s"),
    "HALF": ("share of the step of a linear system", "s"), "FRACTION": ("of the step, for its interpolation", "1"),
    "HN": ("next step", "s"), "HC": ("step to a located event; 0: none", "s"), "STEPS": ("steps so far", "1"),
    "REJECTED": ("rejected trial steps so far", "1"), "EVENTS": ("events so far", "1"), "STATUS": ("0: runs on", "1"),
    "SLIN": ("largest velocity so far", "m/s"), "SANG": ("largest rate of a direction so far", "1/s"),
    "FLOORED": ("steps that were as short as they may be", "1"), "BEFORE": ("error of the step before", "1"),
    "SIZE": ("largest coordinate of a place so far", "m"), "LOOK": ("trial steps at which the run is looked at", "1"),
    "MARK": ("time at which it was", "s"), "SPAN": ("size of the mechanism", "m"),
    "KEPT_ICM": ("ICM of the kept factors", "s^2"), "KEPT_CD": ("their CD", "1/s"), "KEPT_RATE": ("rate of convergence with them", "1"),
    "KEPT_START": ("1: Newton's iteration begins by the slope before", "1"),
}  # fmt: skip
LOOP = ("H", "ERROR", "WHO", "ICM", "CD", "HALF", "FRACTION")  # of these, the rows of a step


@dataclass(frozen=True)
class Row:
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
    """

    topology: str
    integrator: str
    names: tuple
    parts: dict
    values: np.ndarray
    samples: dict

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
                words = str(found["topology"]), str(found["integrator"]), tuple(found["names"].tolist())
                return cls(*words, parts, found["values"], inputs)
        except (OSError, KeyError, ValueError, TypeError, EOFError, BadZipFile) as error:
            raise ModelError(f"'{path}' is not a state that was saved: {error}", remedy="give a file that State.save wrote") from None


class Layout:
    """Which row is which.

    Parameters
    ----------
    build : Build
    scheme : Integrator
    width : int
        Lanes.

    Attributes
    ----------
    rows : list of Row
        Of X.
    sizes : dict str -> int
        Entries of the table (`flexmbd.stepping.names`) that say how many rows there are, and where they begin.
    work : int
        Rows of W that functions with a fixed place for their results need; behind them they work.
    """

    def __init__(self, build, scheme, width):
        self.build, self.scheme, self.width, self.rows = build, scheme, width, []
        n, m, nc = build.n, len(build.states), len(build.contacts)
        multipliers = len(build.rows) * scheme.multipliers
        rates = max(n, multipliers)
        stride = rates + m + 2 * nc
        self.sizes = {"N": n, "M": m, "NC": nc, "NM": multipliers, "RATES": rates, "GAPS": rates + m, "STRIDE": stride, "LAST": scheme.last}
        self._coordinates = [f"{body.name}[{k}]" for body in build.system.bodies for k in range(body.coordinates)]
        own = sorted(LANE, key=lambda name: getattr(names, name))
        self.rows += [Row(name.lower(), *LANE[name], "step" if name in LOOP else "state") for name in own]
        self._point("", "state")
        self._begin("CONTACTS")
        for contact in build.contacts:
            self.rows += [
                Row(f"{contact.name}.{key}", meaning, unit, "state")
                for key, meaning, unit in zip(CONTACT, CONTACT_MEANINGS, CONTACT_UNITS, strict=True)
            ]
        self.rows += [Row(f"{c.name}.event_tolerance", "penetration within which events are located", "m", "state") for c in build.contacts]
        self._begin("LARGEST")
        self.rows += [Row(f"largest.{s.name}", "largest absolute value so far", "", "state") for s in build.states]
        self._begin("SLOTS")
        kept = max(k for k, slot in enumerate(scheme.slots) if slot.kept)
        for k, slot in enumerate(scheme.slots):
            self._slot(slot, "state" if k <= kept else "step")
            if k == kept:
                self._begin("STATE_ROWS")
        for key in ("MIDDLE", "END"):
            self._begin(key)
            self._point(f"{key.lower()}.", "step")
        self._begin("FACTORS")
        self.sizes["KEPT"] = 0
        largest = n + multipliers + (n if scheme.multipliers > 1 else 0)
        self.work = max(2 * n, largest, 4) + 1

    def _begin(self, key):
        self.sizes[key] = len(self.rows)

    def _point(self, prefix, lifetime):
        units = {"length": "m", "angle": "1"}
        self.rows.append(Row(f"{prefix}time", "time", "s", lifetime))
        for rate, meaning in (("", "coordinate"), ("'", "velocity")):
            for name, measure in zip(self._coordinates, self.build.measures, strict=True):
                unit = units[measure] if not rate else {"length": "m/s", "angle": "1/s"}[measure]
                self.rows.append(Row(f"{prefix}{name}{rate}", meaning, unit, lifetime))
        self.rows += [Row(f"{prefix}{s.name}", "further state", "", lifetime) for s in self.build.states]

    def _slot(self, slot, lifetime):
        own = [*self._coordinates, *(f"row {k}" for k in range(len(self._coordinates), self.sizes["RATES"]))]
        own += [f"{s.name}'" for s in self.build.states]
        own += [f"{c.name}.{key}" for c in self.build.contacts for key in CONTACT[2:4]]
        self.rows += [Row(f"{slot.name}.{name}", slot.meaning, "", lifetime) for name in own]

    def keep(self, count):
        """Rows of what the scheme keeps of linear equations, from `FACTORS` on."""
        self.sizes["KEPT"] = count
        self.rows += [Row(f"kept.{k}", "kept of linear equations", "", "state") for k in range(count)]

    def signals(self, signals, reduced):
        """Rows of outputs: their sums, and their values at the start, in the middle and at the end of a step."""
        self._begin("SUMS")
        sums = ("largest", "time of largest", "smallest", "time of smallest", "integral", "integral of the square")
        self.rows += [Row(f"{name}: {what}", "of the steps so far", "", "state") for name in signals[:reduced] for what in sums]
        for key, lifetime in (("Y0", "state"), ("YM", "step"), ("Y1", "step")):
            self._begin(key)
            self.rows += [Row(f"{key.lower()}.{name}", "output", "", lifetime) for name in signals]
        self.sizes |= {"NS": len(signals), "NR": reduced, "OUT_ROWS": names.SUM_ROWS * reduced + len(signals)}

    def kept_rows(self, factors):
        """How many rows a sample's state has; with `factors` those of linear equations too."""
        return self.sizes["STATE_ROWS"] + self.sizes["OUT_ROWS"] + (self.sizes["KEPT"] if factors else 0)

    def kept_names(self, factors):
        """Their names."""
        first, out, kept = 0, self.sizes["SUMS"], self.sizes["FACTORS"]
        ranges = [(first, self.sizes["STATE_ROWS"]), (out, self.sizes["OUT_ROWS"]), (kept, self.sizes["KEPT"] if factors else 0)]
        return tuple(row.name for start, count in ranges for row in self.rows[start : start + count])

    def parts(self):
        """Rows of the state that belong together: the first and how many."""
        n, m, own = self.sizes["N"], self.sizes["M"], {"multiplier": self.sizes["NM"]}
        found = {"coordinates": (names.T + 1, n), "velocities": (names.T + 1 + n, n), "states": (names.T + 1 + 2 * n, m)}
        slots = {slot.name: (self.slot(slot.name), own.get(slot.name, n)) for slot in self.scheme.slots}
        return found | {name: place for name, place in slots.items() if place[0] < self.sizes["STATE_ROWS"]}

    def slot(self, name):
        """First row of a slot."""
        return self.sizes["SLOTS"] + self.scheme.place(name) * self.sizes["STRIDE"]

    def has(self, kind):
        """Whether run-time variables of a kind are read with this scheme."""
        return kind in self.scheme.reads

    def place(self, name):
        """Array and row of a run-time variable; arrays are those of `codegen.functions`."""
        n, kind = self.sizes["N"], name.rstrip("0123456789")
        k = int(name[len(kind) :] or 0)
        if kind in ("t", "q", "v", "s"):
            return "x", {"t": 0, "q": 1, "v": 1 + n, "s": 1 + 2 * n}[kind] + k
        if kind in ("mode", "vz", "count", "vl"):
            return "X", self.sizes["CONTACTS"] + CONTACT_ROWS * k + {"mode": 0, "vz": 1, "count": 4, "vl": 5}[kind]
        if kind in ("icm", "cd", "hh"):
            return "X", {"icm": names.ICM, "cd": names.CD, "hh": names.HALF}[kind]
        slot, part = self.scheme.reads[kind]
        offset = {"": 0, "rates": self.sizes["RATES"], "second": len(self.build.rows)}[part]
        if slot in ("y", "kept"):
            return ("y", offset + k) if slot == "y" else ("X", self.sizes["FACTORS"] + k)
        return "X", self.slot(slot) + offset + k


def aligned(*shape):
    """Zeros whose first number is at the beginning of a line of the cache."""
    count = int(np.prod(shape))
    room = np.zeros(count + 8)
    first = -(room.ctypes.data // 8) % 8
    return room[first : first + count].reshape(shape)
