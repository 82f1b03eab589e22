"""Variables of a graph, known at run time: each is of a space, and has a number there unless it is the only one of its space."""

from typing import NamedTuple

from flexmbd.errors import ModelError

# Spaces of a system's equations.  Schemes say where those of theirs are (`Integrator.reads`), `state.Layout` where the others are.
NUMBERED = {
    "q": "coordinates", "v": "velocities", "s": "further states", "a": "accelerations", "l": "multipliers",
    "u": "second multipliers of a stabilised scheme", "o": "coordinates at the start of the step", "w": "velocities there",
    "p": "known parts of states in an implicit step; in derivatives, changes of inputs", "e": "changes of coordinates",
    "r": "changes of velocities", "d": "rates of states in a linearised step", "f": "numbers that one function keeps for another",
    "x": "coordinates of a group's one element, values of a point", "y": "their rates", "z": "accelerations of the one element",
    "b": "coordinates of the one element at the start of the step", "n": "numbers that differ between elements",
    "k": "multipliers of a group's one joint",
    "c": "numbers that differ between points", "mode": "modes of contacts", "impact_velocity": "impact velocities",
    "least_impact_velocity": "least impact velocities", "impacts": "impacts so far", "law": "values of laws, while they are held",
    "displacement": "displacements of bodies, each by itself, of which only derivatives are asked", "twist": "velocities of the same kind",
    "j": "time derivatives of nodes, in Taylor series", "spin": "angular velocities in bodies' own frames, there",
    "dependent": "whether a coordinate follows from others", "argument": "arguments of a function that is differentiated by itself",
}  # fmt: skip
SINGLE = {
    "t": "time", "beta_h2": "change of a coordinate by its acceleration in a step",
    "gamma_beta_h": "change of a velocity by its coordinate",
    "step_share": "share of the step", "near": "nearness to a singular position so far", "booked": "energy in the book of the run",
}  # fmt: skip
OF_SYSTEMS = dict.fromkeys(NUMBERED, True) | dict.fromkeys(SINGLE, False)  # whether variables of a space have numbers
OWN = {"x": "q", "y": "v", "z": "a", "b": "o"}  # spaces of a group's one element, and those of the system that they are


class Variable(NamedTuple):
    """What a variable's node stands for.

    Attributes
    ----------
    space : str
    number : int or None
    """

    space: str
    number: int | None = None

    def __str__(self):
        return self.space if self.number is None else f"{self.space}{self.number}"

    def of(self, values):
        """Its value, from those of spaces by name: of one with numbers a sequence, or a dict by number."""
        found = values[self.space]
        return found if self.number is None else found[self.number]


class Space:
    """A space of a graph: its variables by number, and what depends on them."""

    def __init__(self, graph, name):
        self.graph, self.name = graph, name

    def __getitem__(self, number):
        return self.graph.var(self.name, number)

    def first(self, count):
        """Its variables 0, 1, ... to before `count`."""
        return [self[k] for k in range(count)]

    def of(self, *nodes):
        """Numbers of its variables that nodes depend on, in the order in which they came up."""
        found = (x.value.number for node in nodes for x in self.graph.sources.variables(node, self.name))
        return list(dict.fromkeys(found))


def check_variable(space, number, spaces):
    """Raise `ModelError` for a variable of no space that a system has; `spaces` says of each whether its variables have numbers."""
    if spaces.get(space) is not (number is not None):
        raise ModelError(
            f"'{Variable(space, number)}' is no variable of a system's equations",
            remedy="take coordinates from equations.q, velocities from equations.v, the time from equations.time, and further states from "
            "equations.state",
        )
