"""Which coordinates suit a system (`formulation = "auto"`): those of joints where they can be, and pay."""

from flexmbd.errors import ModelError
from flexmbd.forces.propellant import Propellant
from flexmbd.forces.reduced_inertia import ReducedInertia
from flexmbd.formulation.trees.topology import topology
from flexmbd.joints.rod import Rod
from flexmbd.tuning import USUAL

AUTO, NATURAL, TREE = "auto", "natural", "tree"
OWN_MASS = (ReducedInertia, Propellant, Rod)  # beside them a tree does not know what its joints bear


def taken(name, system, tuning=USUAL, *, needs="", implicit=False):
    """Name of the formulation that a system is written in, and why it is that one.

    Parameters
    ----------
    name : str
        "auto", or another one, which stays.
    system : System or Stack
        Its topology alone decides, none of its numbers: all batches of a study have the same coordinates.
    tuning : Tuning
        Its `tree_loops`, `tree_loop` and `tree_coordinates` say where joints' coordinates do not pay.
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
    try:
        tree = topology(system)
    except ModelError as error:
        return NATURAL, "natural: " + error.message.removeprefix("formulation 'tree': ")
    carried, cuts = sum(branch.joint is not None for branch in tree.branches), len(tree.cuts)
    told = f"{carried} of {len(tree.branches)} bodies hang on joints without rows; joints that close loops: {cuts}"
    if why := needs or _other(system, tree, carried, tuning):
        return NATURAL, f"natural: {why}"
    count = sum(len(branch.freedom.measures) for branch in tree.branches)
    if implicit and count > tuning.tree_coordinates:
        return NATURAL, f"natural: steps are implicit, and {count} coordinates of joints are all coupled"
    pays = cuts <= tuning.tree_loops * carried and (system.dimension == 3 or 2 * carried > len(tree.branches))
    return (TREE, f"tree: {told}") if pays else (NATURAL, f"natural: {told}")


def _other(system, tree, carried, tuning):
    """What in a system is for natural coordinates, in words; else ""."""
    flat = system.dimension == 2
    found = [f"'{body.name}' keeps coordinates of its own" for body in tree.beside if flat or not carried]
    for joint in tree.cuts if flat else ():
        count = sum(len(branch.freedom.measures) for branch in tree.loop(joint))
        if count > tuning.tree_loop:
            found.append(f"'{joint.name}' closes a loop of {count} coordinates of joints")
    found += [f"'{element.name}' adds masses of its own" for element in system.elements if isinstance(element, OWN_MASS)]
    return next(iter(found), "")
