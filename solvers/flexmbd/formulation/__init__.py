"""From a system to its equations as graph nodes."""

from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.formulation.trees.tree import TreeCoordinates
from flexmbd.suggest import unknown

FORMULATIONS = {"natural": NaturalCoordinates, "tree": TreeCoordinates}


def formulation_of(name):
    """The `Formulation` of a name."""
    if name not in FORMULATIONS:
        raise unknown("formulation", name, FORMULATIONS)
    return FORMULATIONS[name]


__all__ = ["FORMULATIONS", "formulation_of"]
