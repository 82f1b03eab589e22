"""From a system to its equations as graph nodes."""

from flexmbd.formulation.choice import AUTO, taken
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.formulation.trees.tree import TreeCoordinates
from flexmbd.suggest import unknown

FORMULATIONS = {"natural": NaturalCoordinates, "tree": TreeCoordinates}


def formulation_of(name):
    """The `Formulation` of a name."""
    return FORMULATIONS[known(name)]


def known(name):
    """The name of a formulation, or "auto"; raises `ModelError` for any other."""
    if name != AUTO and name not in FORMULATIONS:
        raise unknown("formulation", name, (AUTO, *FORMULATIONS))
    return name


__all__ = ["FORMULATIONS", "formulation_of", "known", "taken"]
