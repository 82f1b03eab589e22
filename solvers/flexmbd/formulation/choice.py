"""Which coordinates suit a system (`formulation = "auto"`): those of joints where they can be, and pay."""

from flexmbd.errors import ModelError
from flexmbd.forces.propellant import Propellant
from flexmbd.forces.reduced_inertia import ReducedInertia
from flexmbd.formulation.trees.topology import topology
from flexmbd.tuning import USUAL

AUTO, NATURAL, TREE = "auto", "natural", "tree"
OWN_MASS = (ReducedInertia, Propellant)  # beside them a tree does not know what its joints bear


def taken(name, system, tuning=USUAL, *, needs="", implicit=False):
    """Name of the formulation that a system is written in, and why it is that one.

    Parameters
    ----------
    name : str
        "auto", or another one, which stays.
    system : System or Stack
        Its topology alone decides, none of its numbers: all batches of a study have the same coordinates.
    tuning : Tuning
        Its `tree_loops` and `tree_coordinates` say where joints' coordinates do not pay.
    needs : str
        What else is for natural coordinates alone, in words.
    implicit : bool
        Steps are implicit.

    Returns
    -------
    str, str
    """
    if name != AUTO:
        return name, "as set"
    why, tree = needs or _refused(system), None
    if not why:
        tree = topology(system)
        why = _dear(system, tree, tuning, implicit)
    if why:
        return NATURAL, f"natural: {why}"
    carried, cuts = _counts(tree)
    return TREE, f"tree: {carried} of {len(tree.branches)} bodies hang on joints without rows, and {cuts} joints close loops"


def _refused(system):
    """Why a system is no tree, or none whose outputs are all known; else ""."""
    try:
        beside = topology(system).beside
    except ModelError as error:
        return error.message.removeprefix("formulation 'tree': ")
    found = [f"'{body.name}' keeps coordinates of its own" for body in beside]
    found += [f"'{element.name}' adds masses of its own" for element in system.elements if isinstance(element, OWN_MASS)]
    return next(iter(found), "")


def _dear(system, tree, tuning, implicit):
    """Why joints' coordinates do not pay; "" where they do."""
    carried, cuts = _counts(tree)
    if system.dimension == 2 and 2 * carried <= len(tree.branches):
        return f"{carried} of {len(tree.branches)} bodies hang on joints"
    if cuts > (tuning.tree_loops * carried if system.dimension == 3 else 0):
        return f"{cuts} joints close loops"
    count = sum(len(branch.freedom.measures) for branch in tree.branches)
    if implicit and count > tuning.tree_coordinates:
        return f"steps are implicit, and {count} coordinates of joints are all coupled"
    return ""


def _counts(tree):
    """Bodies that hang on joints, and joints that close loops."""
    return sum(branch.joint is not None for branch in tree.branches), len(tree.cuts)
