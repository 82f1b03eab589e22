"""`Problem`: the equations of a system in one formulation, to which nothing is added any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from flexmbd.errors import ModelError


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Equations as graph nodes: what a formulation makes of a system, and all that code generation and analyses read of it.

    Attributes
    ----------
    system : System
    graph : Graph
    levels : dict str -> int, float or tuple
        Level of each number of the system, by path (`Parameters.level`).
    first : mapping of str to int
        First coordinate of each body.
    q, v : tuple of Node
        Coordinates and velocities.
    time : Node
    coordinates : tuple of str
        Their names.
    measures : tuple of str
        What they measure: ``"length"`` or ``"angle"``.
    initial : function
        Guesses of coordinates and velocities of a system: two lists of numbers or arrays over samples.
    natural : function
        Nodes of the natural coordinates of all bodies, and then of their rates; none where these are not known.
    speeds : tuple of (list of Node, list of Node, list of Node, list of Node)
        Of each body whose speed rates of coordinates do not tell: its mass, velocity, moments of inertia, angular velocity.
    inertia : Inertia
        Mass matrix as an operator (`equations.inertia`).
    generalized : tuple of Node
        Generalized forces, less those of groups.
    rows, initial_rows : tuple of Row
        Constraints, and those of the start alone.
    row_groups : tuple of RowGroup
        Those of `rows` that are many and alike.
    groups : tuple of Group
        Elements of flexible bodies that are many and alike.
    discrete_gradients : mapping Node -> Node
        See `formulation.element_equations.Share`.
    coupled : tuple of Coupled
        Forces that depend on reactions.
    states : tuple of ExtraState
    late : mapping of str to ExtraState
        States that outputs have brought since the equations were finished, which therefore have them not: empty unless such an output was
        not named in `Formulation.problem`.
    contacts : tuple of Event
    unilaterals : tuple of UnilateralContact
    notes : mapping of str to str
        What is notable of how they are written, by key of a run's attributes.
    times : tuple of Node
        Known times that are named, besides those that the equations say.
    a, multipliers : tuple of Node
        Accelerations and multipliers of the index-1 equations.
    potential_energy, stored_energy : Node
        Of all, and of contacts alone.
    powers : mapping str -> Node
        Power by book: "dissipated", "contact" (taken up by contacts, lost or stored), "external".
    balance : function or None
        Gives generalized forces less what bodies' own inertia takes, in which derivatives in time of nodes are variables; by variable the
        node and how often it is derived; of unit quaternions the first coordinate and the number of the row that says their length; and of
        those that Euler's equations say each `Turn`, whose moments are not in the forces.
        None: inertia takes the mass matrix times accelerations, and what is in `generalized`.
    shift : float
        Above zero: constraint rows that depend on others are kept (`equations.index1`).
    direct : bool
        Linear equations are solved by a sparse direct library.
    outputs : mapping str -> (function, str)
        Of each output a function that gives its node, and its unit. It may add nodes to the graph, but nothing to the equations.
    """

    system: Any
    graph: Any
    levels: Mapping
    first: Mapping
    q: tuple
    v: tuple
    time: Any
    coordinates: tuple
    measures: tuple
    initial: Any
    natural: Any
    speeds: tuple
    inertia: Any
    generalized: tuple
    rows: tuple
    initial_rows: tuple
    row_groups: tuple
    groups: tuple
    discrete_gradients: Mapping
    coupled: tuple
    states: tuple
    late: Mapping
    contacts: tuple
    unilaterals: tuple
    notes: Mapping
    times: tuple
    a: tuple
    multipliers: tuple
    potential_energy: Any
    stored_energy: Any
    powers: Mapping
    balance: Any
    shift: float
    direct: bool
    outputs: Mapping

    def __post_init__(self):
        for name, value in vars(self).items():
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
            elif isinstance(value, dict):
                object.__setattr__(self, name, MappingProxyType(value))

    @property
    def n(self):
        """Number of coordinates."""
        return len(self.q)

    def need_constant_mass(self, what):
        """Refuse a scheme or analysis that takes the mass matrix as constant."""
        if not self.inertia.constant:
            raise ModelError(f"{what} needs a constant mass matrix, and this one depends on the coordinates or on time")
