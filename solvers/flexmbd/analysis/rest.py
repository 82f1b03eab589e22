"""Further states that forces depend on, in equilibrium: statics takes them for zero, so they must be at rest there."""

from flexmbd.errors import ModelError

SMALL = 1e-6  # rate of a state at rest, in its unit over s


class Rest:
    """Rates of the states that forces depend on, and what events make of these states.

    Parameters
    ----------
    equations : Equations
    turning : sequence of int
        States that are angles of bodies, which have values of their own.
    """

    def __init__(self, equations, turning):
        b, needed, nodes = equations.problem, {}, [*equations.problem.generalized]
        while nodes:
            found = {*b.graph.space("s").of(*nodes)}
            new = sorted(found.difference(needed, turning))
            needed |= dict.fromkeys(new)
            nodes = [b.states[k].rate for k in new]
        states = [b.states[k] for k in needed if b.states[k].controlled]
        events = [(b.states[k].name, c.penetration, node) for c in b.contacts for k, node in c.assigns if k in needed]
        self._names, self._events = [state.name for state in states], [name for name, *_ in events]
        self._program = equations.program([s.rate for s in states] + [x for _, x, _ in events] + [x for *_, x in events])

    def check(self, values):
        """Raise `ModelError` where zero is not the equilibrium of a state; `values` are those of the graph's variables."""
        if not self._names and not self._events:
            return
        found, count = self._program(values), len(self._names)
        beyond, become = found[count:].reshape(2, -1)
        moving = {name for name, x in zip(self._names, found, strict=False) if not abs(x) <= SMALL}
        moving |= {name for name, x, y in zip(self._events, beyond, become, strict=True) if x >= 0.0 and y != 0.0}
        if moving:
            raise ModelError(
                f"forces depend on further states ({', '.join(sorted(moving))}) that are not zero in this equilibrium, and statics takes "
                "them for zero",
                remedy="leave out what has them (a lag, an integral, a latch), or let a run settle",
            )
