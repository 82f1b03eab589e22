"""`Model`: one topology as machine code for one integrator and one lane width, and its outputs compiled for a list of them."""

import hashlib
import logging

import numpy as np

from flexmbd.codegen import series
from flexmbd.codegen.functions import Functions, Mistake
from flexmbd.codegen.group_loops import BATCH
from flexmbd.codegen.storage import Storage
from flexmbd.equations.coupled import check_scheme
from flexmbd.equations.index1 import corrections, flat, nearness, residuals
from flexmbd.errors import ModelError
from flexmbd.formulation import FORMULATIONS
from flexmbd.formulation.base import law_of
from flexmbd.language.kernels import ALLOWED
from flexmbd.language.kinds import FACTORS
from flexmbd.language.ordering import Guarded, called, groups_of, ordered
from flexmbd.language.results import stored
from flexmbd.linalg.sparse import Solver
from flexmbd.outputs import bringing
from flexmbd.outputs.catalogue import ENERGY_ACCOUNTS
from flexmbd.outputs.energy_account import entries, unkept, write
from flexmbd.registry import CONTACT_ROWS, LEAST_SPEED, OTHERS, EnergyAccounts
from flexmbd.running.choice import not_treated
from flexmbd.running.known_times import timed
from flexmbd.running.neighbours import groups
from flexmbd.running.posed import posed
from flexmbd.running.signals import Requests, Signals
from flexmbd.state import Layout
from flexmbd.stepping import compiled, names
from flexmbd.stepping.campaign import LOOP
from flexmbd.stepping.neighbours import neighbours
from flexmbd.stepping.sections import jumped, sectioned
from flexmbd.stepping.windows import met, windowed

log = logging.getLogger("flexmbd")


class Model:
    """Machine code of a topology and what it reads.

    Parameters
    ----------
    system : System
        Any system of the topology; its numbers do not matter beyond being arrays or not, and 0, 1, -1 or not.
    outputs : sequence of str
        ``"name"`` or ``"name:reduction"``.
    scheme : Integrator
    width : int
        Lanes, 1 to 64.
    direct : str
        Sparse direct library that solves the linear equations of a single lane; "" for elimination in compiled code.
    formulation : str
        Key of `FORMULATIONS`.
    writing
        Further arguments of the `Formulation`: `shift`, `tuning`; and `sections`, `PoincareSection` by name.

    Attributes
    ----------
    problem : Problem
    layout : Layout
    code : Code
        Of the equations; that of the outputs is ``signals.code``.

    Raises
    ------
    ModelError
        Unknown output or reduction; a kernel that cannot be compiled.
    """

    def __init__(self, system, outputs, scheme, *, width=16, direct="", formulation="natural", **writing):
        self.scheme, self.width, self._formulation = scheme, width, FORMULATIONS[formulation]
        self._sections = writing.pop("sections", {})
        self._arguments = writing | {"direct": bool(direct)}
        try:
            if not self._write(system, outputs, bringing):  # outputs bring states that are not known to do so
                self._write(system, outputs, lambda names, aliases: names)
        except Mistake as mistake:
            raise self._told(mistake, system) from mistake
        self.state_names, self.timed = [s.name for s in self.problem.states], timed(self.problem)
        self.topology = hashlib.sha256(repr((system.topology_key(), tuple(self.problem.levels.values()))).encode()).hexdigest()[:16]
        plans = [plan for storage in (self.storage, self.signals.storage) for _, plan in storage.matrices.values()]
        self.solver = Solver(plans, direct) if direct else None

    def _write(self, system, outputs, first):
        """Write equations, then outputs; those outputs that `first` tells are made before the equations are.

        False where another one brings a state, which the equations should have: outputs are not written then.
        """
        equations = self._formulation(system, **self._arguments)
        equations.outputs |= posed(equations, outputs)
        self.requests = Requests(outputs, equations.outputs, self._sections)
        asked = {system.aliases.get(name, name) for name in self.requests.names} & set(ENERGY_ACCOUNTS)
        self.unkept = unkept(equations, self.scheme, asked)
        self.balanced = bool(asked) or not self.unkept
        wanted = [*first(self.requests.names, system.aliases), *(ENERGY_ACCOUNTS if asked else ())]
        self.problem = equations.problem(wanted, None if asked or self.unkept else lambda: write(equations))
        own = [state.name.startswith(f"{EnergyAccounts.name}.") and not state.rate.zero for state in self.problem.states]
        self.storage = Storage(BATCH if self.width == 1 else 1)
        ledgers = own[::-1].index(False) if False in own else len(own)  # those at the end
        self.layout = Layout(self.problem, self.scheme, self.width, ledgers, bool(asked))
        self._equations()
        self.layout.signals(self.requests.names, len(self.requests.reduced), list(self.requests.windows), list(self.requests.sections))
        nodes = [self.problem.outputs[name][0]() for name in self.requests.names]
        if self.problem.late:
            return False
        self.signals = Signals(self.problem, self.requests, nodes, self.layout, self.storage)
        ways = {names.DENSE, names.BETWEEN, names.REFINE}.intersection(self.scheme.functions)  # between steps it has ways of its own
        if exactly := self.scheme.exact or (self.signals.exactly and self.scheme.correction is None and not ways):
            self.layout.aside()
        self.exactly = exactly
        return True

    @property
    def units(self):
        """Unit of each output."""
        return self.requests.units

    @property
    def loop(self):
        """Functions of the time loop and of the scheme, compiled once for all models of a width; those of a group are one module."""
        return LOOP, *(tuple(x.values()) for x in (self._steps, *self._asked, self._searches))

    @property
    def _searches(self):
        """The search for neighbours, if there is one, by entry of the table."""
        return {names.SEARCH: neighbours} if self.reaches else {}

    @property
    def _asked(self):
        """Functions of windows and of sections, if some are asked for, by entry of the table."""
        of_windows, of_sections = {names.WINDOWED: windowed, names.MET: met}, {names.SECTIONED: sectioned, names.JUMPED: jumped}
        return (of_windows if self.requests.windows else {}), (of_sections if self.requests.sections else {})

    @property
    def _steps(self):
        """The scheme's functions by entry of the table."""
        bulges = any(c.bulges for c in self.problem.unilaterals)
        return self.scheme.functions | (self.scheme.passing if bulges else {})

    def compile(self):
        """Compile what is not on disk; load the rest."""
        if not self.on_disk():
            log.info("compiling (once): %s", self.describe())
        self.signals.code.address("outputs")
        self.code.address("rhs")
        for group in self.loop:
            for function in group:
                compiled.address(function, self.width, group)
        self.problem.graph.forget()

    def on_disk(self):
        """True if all machine code is in the cache directory."""
        return self.code.on_disk() and self.signals.code.on_disk() and all(compiled.on_disk(x, self.width) for x in self.loop)

    def describe(self):
        """What is compiled, in a few words."""
        b = self.problem
        parts = (len(b.system.bodies), "bodies"), (len(b.system.elements), "elements"), (len(self.requests.names), "signals")
        known = " (equations are there already)" if self.code.on_disk() else ""
        return f"{', '.join(f'{n} {what}' for n, what in parts)}; {self.scheme.name}, {self.width} lanes{known}"

    def _told(self, mistake, system):
        """The `ModelError` of a kernel that cannot be compiled."""
        kernel, reason = mistake.kernel, " ".join(mistake.reason.split())[:200]
        for owner in (*system.elements, *system.bodies):
            if law := law_of(owner, kernel.function):
                told = f"'{owner.name}', law '{law}': {kernel.describe()} cannot be compiled: {reason}"
                return ModelError(told, element=owner.name, remedy=ALLOWED)
        return ModelError(f"{kernel.describe()} cannot be compiled: {reason}", remedy=ALLOWED)

    # ---- equations
    def _equations(self):
        """Write the functions of the equations."""
        b, scheme, layout = self.problem, self.scheme, self.layout
        check_scheme(b, scheme)
        if b.unilaterals and "unilateral" not in scheme.treats:
            raise not_treated(b.unilaterals[0].name, scheme, b.system)
        zero, rates = b.graph.const(0.0), [s.rate for s in b.states]
        gaps = [x for c in b.contacts for x in (c.penetration, c.rate)]
        accelerations = b.a if scheme.accelerations is None else scheme.accelerations(b, scheme.numbers)
        after = [(("y", layout.sizes["RATES"] + k), x) for k, x in enumerate(rates)]
        after += [(("y", layout.sizes["GAPS"] + k), x) for k, x in enumerate(gaps)]
        written, near = {names.RHS: stored("y", accelerations) + after}, nearness(b)
        self.watched = near is not None
        if self.watched:
            largest = b.graph.var("near")
            largest = b.graph.select(b.graph.greater(near, largest), near, largest)
            written[names.RHS] += [(("X", names.NEARNESS), near), (("X", names.NEAREST), largest)]
        written[names.BALANCE] = stored("W", entries(b)) if self.balanced else []
        sets = [(names.PROJECT, names.RESIDUAL, b.rows)]
        if b.initial_rows:
            sets.append((names.ASSEMBLE_PROJECT, names.ASSEMBLE_RESIDUAL, b.rows + b.initial_rows))
        for project, residual, which in sets:
            dq, dv = corrections(b, which)
            written |= {project: stored("W", dq, dv), residual: stored("W", residuals(b, which))}
        contacts = layout.sizes["CONTACTS"]
        written[names.LIMITS] = [(("X", contacts + CONTACT_ROWS * j + LEAST_SPEED), c.minimum + zero) for j, c in enumerate(b.contacts)]
        written[names.ASSIGN] = stored("W", [x for c in b.contacts for _, x in c.assigns])
        depths = [x for c in b.contacts for x in (c.penetration, c.rate)] + [-x for c in b.unilaterals for x in (c.gap, c.rates[0])]
        if depths:
            written[names.PENETRATIONS] = stored("W", [x + zero for x in depths])
        kept, factors = 0, []
        if scheme.correction is not None:
            written[names.MULTIPLIERS] = stored("y", b.multipliers)
            step, states = scheme.correction(b)
            correction = stored("W", step) + [(("y", layout.sizes["RATES"] + k), x) for k, x in states.items()]
            large = b.graph.tuning.kept_factors or bool(b.groups) or b.direct  # others keep a tangent of their own in every iteration
            factors = [x for x in ordered(b.graph, [x for _, x in correction]) if large and x.kind is FACTORS]
            written[names.NEWTON] = correction
            if factors:
                kept = 0 if b.direct else factors[0].value[0].size
                written |= {names.OBSERVE: after, names.TANGENT: [(("X", layout.sizes["FACTORS"]), factors[0])]}
        if scheme.generated:
            generated, own = scheme.generated(b)
            written, kept = written | generated, max(kept, own)
        layout.keep(kept)
        functions = Functions(b.graph, self.storage, layout, (names.NUMBERS, names.TABLES))
        self._entries = {}
        if motion := written.pop(names.SERIES, None):
            self._entries[names.SERIES] = _FUNCTIONS[names.SERIES]
            series.write(functions, _FUNCTIONS[names.SERIES], *motion)
        for entry, stores in written.items():
            name = self._entries[entry] = _FUNCTIONS[entry]
            given = {x.id: layout.sizes["FACTORS"] for x in factors} if entry == names.NEWTON else None
            kept_ones = [(_kept(where, layout), node) for where, node in stores]
            functions.add(name, Guarded(kept_ones, groups_of(stores)), given=given)
        every = [stores for found in written.values() for stores in (found, *(members for _, members in groups_of(found)))]
        self.kernels = called(b.graph, [node for stores in every for _, node in stores])
        self.code, self.rows, self.keeps_factors = functions.code(), functions.rows, bool(factors)
        self.reaches = [(group, [self.storage.index(x, per_sample=True) for x in group.reaches]) for group in groups(b)]

    def table(self):
        """Entries of the table that do not depend on the run, an array of `names.ENTRIES` integers, and what they point to."""
        b, scheme, at = self.problem, self.scheme, np.zeros(names.ENTRIES, np.int64)
        for key, size in self.layout.sizes.items():
            at[getattr(names, key)] = size
        for entry, name in self._entries.items():
            at[entry] = self.code.address(name)
        if not b.initial_rows:
            at[names.ASSEMBLE_PROJECT], at[names.ASSEMBLE_RESIDUAL] = at[names.PROJECT], at[names.RESIDUAL]
        at[names.OUTPUTS] = self.signals.code.address("outputs")
        for group in (self._steps, *self._asked):
            for entry, function in group.items():
                at[entry] = compiled.address(function, self.width, tuple(group.values()))
        for entry, function in self._searches.items():
            at[entry] = compiled.called_by_models(function, self.width)
        kinks = [scheme.adaptive and scheme.order <= 2 and c.continuous for c in b.contacts]
        augmented = bool(b.shift) and scheme.correction is None  # near singular positions what is open grows fast, whatever the step
        closes = 0 if not b.rows else 1 if scheme.projects or augmented else 2 if not (scheme.holds or scheme.correction) else 0
        of_contacts = {c.first + k for c in b.unilaterals for k in range(OTHERS + len(c.others))}
        flags = {
            "KINKS": any(kinks), "JUMPS": any(c.jumps and c.period is None for c in b.contacts),
            "CLOSES": closes, "AUGMENTED": augmented,
            "WATCHED": self.watched, "MEASURES": self.balanced and bool(b.speeds), "FROZEN": self.keeps_factors,
            "WORK": next((k for k, s in enumerate(b.states) if s.name in (f"{EnergyAccounts.name}.work", f"{EnergyAccounts.name}.due")),
            -1),
            "FLAT": flat(b), "RESTART": scheme.correction is not None,
            "STEPPED": self.signals.stepped, "NP": self.storage.rows, "NPO": self.signals.storage.rows,
            "NY": len(self.requests.histories), "ASSIGNED": sum(len(c.assigns) for c in b.contacts),
            "EXACTLY": self.exactly, "PARTS": scheme.parts,
            "BOOKS": any(not s.rate.zero for k, s in enumerate(b.states) if k not in of_contacts),
            "CLOCKS": sum(c.period is not None for c in b.contacts), "SOLVER": self.solver.address if self.solver else 0,
        }  # fmt: skip
        for key, value in flags.items():
            at[getattr(names, key)] = int(value)
        cones, first = [], 0
        for c in b.unilaterals:
            cones += [first, *c.groups, c.first, c.rule, c.bulges]
            first += len(c.rates)
        arrays = {
            names.ANGULAR: [measure == "angle" for measure in b.measures], names.CONTROLLED: [s.controlled for s in b.states],
            names.STATE_CONTACT: [-1 if s.contact is None else s.contact.index for s in b.states], names.KINK: kinks,
            names.SHOWN: self.signals.shown, names.REACTIVE: self.signals.reactive, names.CONES: cones,
            names.STOPS: [c.stops for c in b.contacts], names.TIMED: [c.period is not None for c in b.contacts],
            names.ASSIGNS: [x for j, c in enumerate(b.contacts) for k, _ in c.assigns for x in (j, k)],
        }  # fmt: skip
        made = {entry: np.array([int(x) for x in values] or [0], np.int64) for entry, values in arrays.items()}
        signals, ends = self.requests.tables()
        made |= {names.WINDOW_SIGNALS: np.array(signals or [0], np.int64), names.WINDOW_ENDS: np.array(ends or [0.0])}
        made[names.SCHEME] = np.array([*scheme.numbers, *scheme.middle] or [0.0])
        at[names.BOW] = len(scheme.numbers) if scheme.middle else 0
        made |= {names.TABLES: self.storage.tables, names.OUT_TABLES: self.signals.storage.tables}
        for entry, values in made.items():
            at[entry] = values.ctypes.data
        return at, made

    def pack(self, system, count):
        """What is the same for all samples, by entry of the table, and parameters of each sample, an array (count, parameters)."""
        parameters = system.parameters()
        numbers, own = self.storage.pack(self.problem.graph, parameters, count)
        of_outputs, outputs_own = self.signals.storage.pack(self.problem.graph, parameters, count)
        return {names.NUMBERS: numbers, names.OUT_NUMBERS: of_outputs}, np.ascontiguousarray(np.hstack([own, outputs_own]))


_FUNCTIONS = {
    getattr(names, key): key.lower()
    for key in (
        "RHS PROJECT RESIDUAL ASSEMBLE_PROJECT ASSEMBLE_RESIDUAL LIMITS MULTIPLIERS NEWTON OBSERVE TANGENT LINEARISE RESPOND CLOSING "
        "GRADIENTS ASSIGN UNILATERAL PENETRATIONS BALANCE SERIES"
    ).split()
}


def _kept(where, layout):
    """A store, that of a number which the scheme keeps in its row of X."""
    return ("X", layout.sizes["FACTORS"] + where[1]) if where[0] == "kept" else where


__all__ = ["Model"]
