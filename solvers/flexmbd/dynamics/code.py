"""Machine code of a mechanism's equations and of their derivatives, for one state at a time: what the flow of a section map calls.

Each function stores numbers one behind another from row `Code.first` on; `Segments` says what they are.
"""

import numpy as np

from flexmbd.analysis.derivatives import ParametricGraph, held_back
from flexmbd.analysis.equations import SINGLE
from flexmbd.codegen.functions import Functions
from flexmbd.codegen.group_loops import BATCH
from flexmbd.codegen.storage import Storage
from flexmbd.formulation import formulation_of
from flexmbd.dynamics.names import (
    COUNT, FORCE_Z, FUNCTIONS, IMPULSE, MODE, NC, NP, NS, NU, OUT, P_ROW, SMALLEST, X_ROWS, A, L, M, N, Q, S, V, Z,
)  # fmt: skip
from flexmbd.parameters import LANE, Matrix

_SPACES = {"q": Q, "v": V, "s": S, "a": A, "l": L, "mode": MODE, "impact_velocity": Z, "least_impact_velocity": SMALLEST,
           "impacts": COUNT, "p": P_ROW, "f": IMPULSE}  # fmt: skip


class _Rows:
    """Where variables are: rows of X."""

    width, work = 1, 0

    def __init__(self, sizes):
        self._sizes = sizes

    def place(self, variable):
        """Array and row of a variable."""
        return "X", 0 if variable.space == "t" else int(self._sizes[_SPACES[variable.space]]) + (variable.number or 0)


class _Graph(ParametricGraph):
    """Laws do not say their derivatives by the approach speed of the onset."""

    given = ("p", "impact_velocity")


class Code:
    """Equations of a system, and what of them is compiled.

    Parameters
    ----------
    system : System
        Its numbers may be arrays over samples; those are what there are derivatives by.
    formulation : str
    beyond : callable, optional
        Of a `Problem` the node that passes the level of the section.

    Attributes
    ----------
    problem : Problem
    paths : list of str
        Numbers that there are derivatives by.
    sizes, segments, entries, addresses : ndarray of int
        The table of `names` with its sizes; where each segment begins; row and column of each number; addresses of the functions.
    """

    def __init__(self, system, formulation, beyond=None):
        known = system.parameters()
        self.paths = [path for path in known if known.level(path) == LANE and not isinstance(known[path], Matrix)]
        varied = {path: {j: 1.0} for j, path in enumerate(self.paths)}
        graph = _Graph(SINGLE)
        written = formulation_of(formulation)(system, solved=False, tuning=SINGLE, graph=graph, varied=varied)
        turning = written.turning(every=False)
        self.problem = b = written.problem([])
        reached = [] if beyond is None else [beyond(b)]
        graph.whole = True
        self.turned, self.turning = list(turning), [k for _, k in turning.values()]
        self.sizes = self._rows()
        made = {name: nodes(b, len(self.paths)) for name, nodes in (("motion", _motion), ("slopes", _slopes), ("closing", _closing))}
        made["closing"].append([((k, 0), x) for k, (x, _) in zip(self.turning, turning.values(), strict=True)])
        made["events"] = _events(b, len(self.paths))
        made["passing"] = _passing(b, reached, len(self.paths))
        made |= {f"impact{u}": _impact(b, contact, len(self.paths)) for u, contact in enumerate(b.unilaterals)}
        self._compile(graph, made)
        self.remembered = np.zeros(len(b.contacts) + 1, np.int64)  # contacts whose force depends on the approach speed
        self.remembered[self.entries[self.segments[FORCE_Z] : self.segments[FORCE_Z + 1], 1]] = 1

    def _rows(self):
        b, sizes = self.problem, np.zeros(FUNCTIONS, np.int64)
        n, m, states, contacts = b.n, len(b.rows), len(b.states), len(b.contacts)
        counts = (n, n, states, n, m, contacts, contacts, contacts, contacts, max(1, len(self.paths)), 5)
        sizes[[N, M, NS, NC, NU, NP]] = n, m, states, contacts, len(b.unilaterals), len(self.paths)
        sizes[Q : OUT + 1] = 1 + np.concatenate([[0], np.cumsum(counts)])
        return sizes

    def _compile(self, graph, made):
        self.storage = Storage(BATCH)
        functions, at, entries, segments = Functions(graph, self.storage, _Rows(self.sizes), (0, 1)), 0, [], [0]
        for name, parts in made.items():
            stores = []
            for part in parts:
                for place, node in part:
                    stores.append((("y", at), node))
                    entries.append(place)
                    at += 1
                segments.append(at)
            functions.add(name, stores)
        self._code = functions.code()
        self.addresses = np.array([self._code.address(name) for name in made], np.int64)
        self.entries = np.array(entries, np.int64).reshape(-1, 2)
        self.segments, self.work = np.array(segments, np.int64), functions.rows + 1
        self.sizes[X_ROWS] = self.sizes[OUT] + at

    def prepare(self, X, slowest, angles):
        """Put into X what a run begins with: least approach speeds of contacts, and the angles that count turns."""
        X[:] = 0.0
        X[self.sizes[SMALLEST] : self.sizes[SMALLEST] + len(slowest)] = slowest
        X[self.sizes[S] + np.array(self.turning, int)] = angles

    def modes(self, X):
        """Of contacts, 1 where they are closed."""
        return X[self.sizes[MODE] : self.sizes[MODE] + self.sizes[NC]]


def _by(graph, nodes, space, count):
    """Derivatives ((i, j), node) that are not zero."""
    variables = [graph.var(space, j) for j in range(count)]
    return [((i, j), x) for i, node in enumerate(nodes) for j, x in graph.slopes(node, variables) if not x.zero]


def _values(nodes):
    return [((i, 0), x) for i, x in enumerate(nodes)]


def _balance(b):
    return [x + y for x, y in zip(b.inertia.apply(b.a), held_back(b, b.rows), strict=True)]


def _all(b, word, *arguments):
    return [getattr(row.polynomial, word)(*arguments) for row in b.rows]


def _places(b):
    """Penetration and rate of all contacts: those with laws, then those that cannot be penetrated."""
    return [(c.penetration, c.rate) for c in b.contacts] + [(-c.gap, -c.rates[0]) for c in b.unilaterals]


def _motion(b, count):
    g = b.graph
    return [
        _values([-f for f in b.generalized]),
        _by(g, b.inertia.apply(b.a), "a", b.n),
        [((k, i), x) for k, row in enumerate(b.rows) for i, x in row.polynomial.gradient(b.q).items()],
        _values(_all(b, "acceleration", b.q, b.v, b.a, b.time)),
        _values([x for pair in _places(b) for x in pair]),
    ]


def _slopes(b, count):
    g = b.graph
    force = [x - f for x, f in zip(_balance(b), b.generalized, strict=True)]
    rows = _all(b, "acceleration", b.q, b.v, b.a, b.time)
    return [
        *(_by(g, force, *of) for of in (("q", b.n), ("v", b.n), ("impact_velocity", len(b.contacts)), ("p", count))),
        *(_by(g, rows, *of) for of in (("q", b.n), ("v", b.n), ("p", count))),
    ]


def _closing(b, count):
    g, rows, rates = b.graph, _all(b, "value", b.q), _all(b, "rate", b.q, b.v, b.time)
    return [_values(rows), _values(rates), _by(g, rows, "p", count), _by(g, rates, "q", b.n), _by(g, rates, "p", count)]


def _events(b, count):
    g, (depths, rates) = b.graph, ([pair[k] for pair in _places(b)] for k in (0, 1))
    by_time = [((i, 0), x) for i, node in enumerate(rates) if not (x := g.derivative(node, b.time)).zero]
    return [
        _by(g, depths, "q", b.n), _by(g, depths, "p", count),
        _by(g, rates, "q", b.n), _by(g, rates, "v", b.n), _by(g, rates, "p", count), by_time,
        _values([c.minimum for c in b.contacts]),
    ]  # fmt: skip


def _passing(b, reached, count):
    """What passes the level of a section, its rate, and derivatives of the first; nothing where there is no such section."""
    g = b.graph
    rates = [
        g.dot([(x, speeds[i]) for of, speeds in (("q", b.v), ("v", b.a)) for (_, i), x in _by(g, [node], of, b.n)])
        + g.derivative(node, b.time)
        for node in reached
    ]
    return [_values([*reached, *rates]), *(_by(g, reached, *of) for of in (("q", b.n), ("v", b.n), ("p", count)))]


def _impact(b, contact, count):
    """Of an impact: ``M dv + G'L - N'l - T'k = 0``, ``G dv = 0``, ``N dv + (1 + e) r = 0``, with dv for a, L for l, and r the gap's rate.

    With friction in the plane also ``w = T dv + (1 + e_t) s = 0``, s the sliding velocity, where it sticks, ``k = +-mu l`` where it slides.
    In space w and k have two components each; where it slides, ``k |w| + mu l w = 0`` and ``|w|^2 - w w = 0`` with |w| as an unknown.
    """
    g, e, (impulse, tangential, way, other, speed) = b.graph, contact.numbers[0], (b.graph.var("f", k) for k in range(5))
    balance, tangents = _balance(b), [x for x in contact.others[: contact.groups[0]] if x]
    if contact.groups[0] == 2:
        tangents = contact.others[:2]
    for percussion, direction in zip((impulse, tangential, other), (contact.normal, *tangents)):
        balance = [x - percussion * direction[i] if i in direction else x for i, x in enumerate(balance)]
    held = [g.dot((x, b.a[i]) for i, x in row.polynomial.gradient(b.q).items()) for row in b.rows]
    jump = g.dot((x, b.a[i]) for i, x in contact.normal.items()) + (1.0 + e) * contact.rates[0]
    nodes, numbers = [*balance, *held, jump], [e]
    if tangents:
        _, back, mu = contact.numbers[:3]
        slides = contact.rates[1 : 1 + len(tangents)]
        w = [g.dot((x, b.a[i]) for i, x in tangent.items()) + (1.0 + back) * s for tangent, s in zip(tangents, slides, strict=True)]
        if len(tangents) == 1:
            nodes.append((1.0 - way * way) * w[0] + way * way * (tangential - way * mu * impulse))
        else:
            nodes += [(1.0 - way) * x + way * (k * speed + mu * impulse * x) for x, k in zip(w, (tangential, other), strict=True)]
            nodes.append((1.0 - way) * speed + way * (speed * speed - w[0] * w[0] - w[1] * w[1]))
        numbers += [back, mu, *slides]
    by_time = [((i, 0), x) for i, node in enumerate(nodes) if not (x := g.derivative(node, b.time)).zero]
    return [
        [((0, i), x) for i, x in contact.normal.items()], [((k, i), x) for k, way in enumerate(tangents) for i, x in way.items()],
        _values(numbers),
        _by(g, nodes, "q", b.n), _by(g, nodes, "v", b.n), _by(g, nodes, "p", count), by_time,
    ]  # fmt: skip
