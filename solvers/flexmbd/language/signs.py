"""What cannot be negative, by how it is computed: roots, absolute values, counts, and sums and products of such."""

from collections.abc import Set

from flexmbd import lanes
from flexmbd.language import kinds
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.nodes import Node, flat, nested
from flexmbd.language.tracing import traced

COUNTS = "impacts"  # space of the variables that count impacts
WORDS = dict.fromkeys((lanes.sincos, lanes.atan2, lanes.log, lanes.tanh, lanes.floor), lambda args: None)  # that stay calls
WORDS |= {lanes.exp: lambda args: [], lanes.power: lambda args: [args[0]]}


def nonnegative(node: Node, given: Set = frozenset()) -> bool:
    """True if a node cannot be negative, False if nothing says so.

    Kernels are looked into: a law whose force is the greater of zero and something is not negative.

    Parameters
    ----------
    node : Node
    given : set
        Numbers of parameters, and each `Variable`, that are not negative.
    """
    known, pending = set(), [node]
    while pending:
        x = pending.pop()
        if x.id in known:
            continue
        known.add(x.id)
        needed = _needs(x, given)
        if needed is None:
            return False
        pending += needed
    return True


def at_most_one(node: Node) -> bool:
    """True if a node is a number from zero to one, such as one that says whether two bodies touch; False if nothing says so."""
    pending = [node]
    while pending:
        x = pending.pop()
        if x.constant:
            if not 0.0 <= x.value <= 1.0:
                return False
        elif x.kind in (kinds.SELECT, kinds.MUL):
            pending += x.args[1:] if x.kind is kinds.SELECT else x.args
        else:
            return False
    return True


def _needs(x, given):
    """Nodes of which none may be negative, so that x is not; None if that cannot be told."""
    if x.constant:
        return None if x.value < 0 else []  # what is no number is not negative
    if x.kind in (kinds.PARAMETER, kinds.VARIABLE):
        return [] if x.value in given or (x.kind is kinds.VARIABLE and x.value.space == COUNTS) else None
    if x.kind in (kinds.SQRT, kinds.FABS) or (x.kind is kinds.MUL and x.args[0] is x.args[1]):
        return []
    if x.kind in (kinds.ADD, kinds.MUL, kinds.DIV):
        return list(x.args)
    if x.kind is kinds.SELECT:
        return _of_branches(*x.args)
    call, k = (x.args[0], x.value) if x.kind is kinds.RESULT else (x, 0)
    if call.function in WORDS:
        return WORDS[call.function](call.args)
    return [] if call.kind is kinds.CALL and _of_kernel(call, k, given) else None


def _of_branches(condition, first, second):
    """The branches that the condition itself does not keep from being negative."""
    if condition.kind is not kinds.GREATER:
        return [first, second]
    above, below = condition.args
    kept = first is above and _is(below, lambda value: value >= 0)  # first > below
    kept |= first.kind is kinds.NEG and first.args[0] is below and _is(above, lambda value: value <= 0)  # below < above
    or_else = second is below and _is(above, lambda value: value >= 0)  # second >= above
    or_else |= second.kind is kinds.NEG and second.args[0] is above and _is(below, lambda value: value <= 0)  # above <= 0
    return [branch for branch, safe in ((first, kept), (second, or_else)) if not safe]


def _is(node, true):
    return node.constant and true(node.value)


def _of_kernel(call, k, given):
    """Whether result number k of a kernel cannot be negative, by what is known of its arguments."""
    graph = Graph()
    own = [graph.const(a.value) if a.constant else graph.var("argument", i) for i, a in enumerate(call.args)]
    signed = {mine.value for mine, a in zip(own, call.args, strict=True) if mine.kind is kinds.VARIABLE and nonnegative(a, given)}
    try:
        found = traced(graph, call.function, nested(own, call.shape))
    except KernelError:
        return False  # compiled elsewhere, say
    one = flat(found if isinstance(found, tuple) else (found,))[k]
    return nonnegative(one if isinstance(one, Node) else graph.const(one), signed)
