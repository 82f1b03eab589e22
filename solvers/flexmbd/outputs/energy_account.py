"""The book of energy that every run keeps, and what its balance is judged by (`flexmbd.running.energy_balance`)."""

from flexmbd.language.kinds import ADD, NEG, SUB
from flexmbd.language.quadratic import dot
from flexmbd.outputs.catalogue import DRIVE, TAKEN
from flexmbd.registry import EnergyAccounts


def unkept(equations, scheme, asked):
    """Why a run with a scheme does not keep a book, or "": it does where an output of energy is `asked` for, and elements say enough.

    Books are integrals of powers, and free where accelerations are computed.  Schemes that step over impacts do without these: their books
    would cost half as much again as the motion.
    """
    if equations.unbooked:
        return f"'{equations.unbooked[0]}' gives a force without its power or its energy (`equations.power`, `equations.potential`)"
    steps_over = "unilateral" in scheme.treats and not scheme.adaptive
    if not asked and steps_over and not (equations.drive_power().zero and equations.power_of("dissipated", "contact").zero):
        return f"'{scheme.name}' does not add up powers of drives, loads and dampers unless an output of energy is asked for"
    return ""


def write(equations):
    """Make the state that the book of a run needs of which no output of energy is asked for, before the equations are finished.

    One state is cheaper than the two that outputs need; where contacts jump both are kept, since what impacts take is booked there.
    """
    taken, work = equations.power_of("dissipated", "contact"), equations.drive_power()
    if equations.unilaterals:
        for name, rate in ((TAKEN, taken), (DRIVE, work)):
            if not rate.zero:
                equations.outputs[name][0]()
    elif not (work - taken).zero:
        equations.state_rate(equations.state(EnergyAccounts, "due"), work - taken)


def entries(problem):
    """Nodes of the balance, J; masses by which largest velocities and largest rates make an energy, kg and kg m²; energy passed on, and the
    sizes of all terms of the potential, which its rounding follows, J; energy of all bodies if each were as fast as the fastest one, where
    masses are not of them.
    """
    g, masses = problem.graph, {"length": problem.graph.const(0.0), "angle": problem.graph.const(0.0)}
    for i, m in (problem.inertia.added if problem.speeds else problem.inertia).diagonal().items():
        g.mark()
        masses[problem.measures[i]] = masses[problem.measures[i]] + g.fabs(m)
    for group in problem.groups:
        for (i, j), m in group.mass.items():
            if i == j:
                measure = problem.measures[group.coordinates[0, i]]
                masses[measure] = masses[measure] + group.sum(g.fabs(m))
    places = {state.name: k for k, state in enumerate(problem.states)}
    books = [f"{EnergyAccounts.name}.{key}" for key in ("taken", "work", "due")]
    taken, work, due = (g.var("s", places[name]) if name in places else g.const(0.0) for name in books)
    losses = [contact.found.loss for contact in problem.unilaterals]
    balance, through = problem.outputs["energy.total"][0]() - problem.stored_energy + taken - work - due, g.const(0.0)
    for x in losses:
        balance = balance + x
    for x in (taken, work, due, *losses):
        through = through if x.zero else through + g.fabs(x)
    sizes = g.const(0.0)
    for x in _terms(problem.potential_energy):
        g.mark()
        sizes = sizes + g.fabs(x)
    return [balance, masses["length"], masses["angle"], through, sizes, _of_fastest(g, problem.speeds)]


def _of_fastest(g, speeds):
    """Kinetic energy of all bodies if each were as fast as the fastest one, by (mass, velocity, moments of inertia, angular velocity)."""
    total = g.const(0.0)
    for size in (0, 2):
        mass, fastest = g.const(0.0), g.const(0.0)
        for body in speeds:
            g.mark()
            own = dot(body[size + 1], body[size + 1])
            mass, fastest = mass + sum(body[size], g.const(0.0)), g.select(g.greater(own, fastest), own, fastest)
        total = total + 0.5 * mass * fastest
    return total


def _terms(node):
    """Nodes of which a sum is made."""
    found, stack = [], [node]
    while stack:
        x = stack.pop()
        if x.kind in (ADD, SUB, NEG):
            stack += x.args
        elif not x.zero:
            found.append(x)
    return found
