"""Pairs of members that are alike, such as round bodies: all of them may meet, and those that are near each other are found as it runs."""

from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from flexmbd.formulation.groups import Group, by_element
from flexmbd.language.variables import OWN, Variable


class Pairs(Group):
    """A group whose elements are all pairs of members, of which only near ones add anything.

    Coordinates of the one pair are those of its first member, then those of its second one; so are the numbers that differ.  Code runs over
    the pairs that a search finds (`flexmbd.stepping.neighbours`): what is farther apart than both reaches must add zero.  Analyses by numpy
    go over all pairs.

    Parameters
    ----------
    build, name, write, kind
        As of `Group`; `write` is handed the numbers of both members, one after another.
    owner : str
        Name of the element that they are of.
    members : list of (tuple of int, tuple of Node)
        Coordinates of the system, of which the first are the place, and numbers.
    reach : int
        Which of a member's numbers is its reach: two members are apart where their places are farther apart than both reaches together.

    Attributes
    ----------
    members : ndarray (members, own coordinates)
    varying_members : list of tuple of Node
        By member, the numbers that differ.
    reaches : list of Node
        By member.
    number : int
        Of this one among all of its kind.
    """

    def __init__(self, equations, name, write, kind, owner, members, reach):
        self.owner, self.number = owner, sum(isinstance(group, Pairs) for group in equations.groups)
        self.reaches = [numbers[reach] for _, numbers in members]
        super().__init__(equations, name, write, kind, members)

    def _tabulated(self, members):
        self.members = np.array([places for places, _ in members], np.int32)
        rows = [numbers for _, numbers in members]
        first, self.varying_members = self._told_apart(rows)
        second, _ = self._told_apart(rows, len(self.varying_members[0]) if self.varying_members else 0)
        self.owners = {self.owner: (0, self.count)}
        return [*first, *second]

    @property
    def count(self):
        """Pairs."""
        return len(self.members) * (len(self.members) - 1) // 2

    @property
    def size(self):
        """Coordinates of a pair."""
        return 2 * self.members.shape[1]

    @cached_property
    def touched(self):
        """Coordinates of the system that are some member's."""
        return set(self.members.ravel().tolist())

    @cached_property
    def _both(self):
        return np.array(np.triu_indices(len(self.members), 1)).T

    @cached_property
    def coordinates(self):
        """Of all pairs."""
        return self.members[self._both].reshape(self.count, self.size)

    @cached_property
    def varying(self):
        """Of all pairs."""
        own = self.varying_members
        return [(*own[i], *own[j]) for i, j in self._both.tolist()] if own else []

    def of_system(self, variables, start=0, stop=None):
        """The system's variables that pairs' nodes depend on."""
        if (start, stop) not in ((0, None), (0, self.count)):
            return super().of_system(variables, start, stop)
        size, own = self.members.shape[1], [x for x in variables if x.space in OWN]
        found = {Variable(OWN[x.space], i) for x in own for i in self.members[:, x.number % size].tolist()}
        return found | {x for x in variables if x.space not in OWN and x.space != "n"}

    def values(self, node, start, stop, variables, parameters):
        """Values of a node of the one pair, for one pair after another; of all pairs those alone that may touch."""
        if (start, stop) != (0, self.count):
            return super().values(node, start, stop, variables, parameters)
        both, own = self._near(variables["q"], parameters), self.varying_members
        varying = [(*own[i], *own[j]) for i, j in both.tolist()] if own else []
        return self._values(node, self.members[both].reshape(len(both), self.size), varying, variables, parameters)

    def _near(self, q, parameters):
        """Numbers of both members of pairs that touch in some sample, in order."""
        count, d = len(self.members), len(self._equations.gravity)
        reach = np.max([np.max(x) for x in self.graph.evaluate(self.reaches, parameters=parameters)])
        places = np.array(by_element([q[i] for i in self.members[:, :d].ravel().tolist()], count)).transpose(2, 1, 0)
        near = [cKDTree(x).query_pairs(2.0 * reach) for x in places if np.all(np.isfinite(x))]
        return np.array(sorted(set().union(*near)), int).reshape(-1, 2)
