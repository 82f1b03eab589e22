"""Words on contacts whose numbers may be wrong: bodies that go through each other, stiffnesses that no material has."""

import numpy as np

from flexmbd.registry import CONTACT_ROWS
from flexmbd.running.scales import extents
from flexmbd.trajectory import OK

SIZES = ("clearance", "radius", "radius_a", "radius_b")  # of a contact, m: bodies that penetrate each other by more are not in contact
HERTZ = 1.5  # exponent of contact at a point
STIFFEST = 4.0 / 3.0 * 1.05e12  # Pa: Hertz' stiffness over the root of a radius, of diamond (E = 1.05e12 Pa) against what is rigid


def implausible(made, codes):
    """What to say of contacts with a law, after a run.

    Hertz' stiffness is ``4/3 E* sqrt(R)`` (Hertz 1881): none is above that of diamond with the mechanism's size for R.

    Parameters
    ----------
    made : Integration
    codes : ndarray of int
        Status of each sample; those that are not `OK` do not count.

    Returns
    -------
    dict of str to str
        By ``<contact>.deep`` and ``<contact>.stiff``.
    """
    contacts, parameters, found = made.model.problem.contacts, made.system.parameters(), {}
    first = made.model.layout.sizes["CONTACTS"] + (CONTACT_ROWS + 1) * len(contacts)
    for j, element in enumerate(contact.element for contact in contacts):
        if getattr(element, "law", None) is None:
            continue
        paths = {key: f"@{element.name}.{key}" for key in (*SIZES, "law.K")}
        own = {key: np.broadcast_to(parameters[path], made.count) for key, path in paths.items() if path in parameters}
        sizes = [own[key] for key in SIZES if key in own]
        if sizes:
            size, deepest = np.min(sizes, axis=0), made.column(first + j)[:, 0]
            share = np.where(codes == OK, deepest / size, 0.0)
            if share.max() > 1.0:
                found[f"{element.name}.deep"] = _deep(element, share, deepest[np.argmax(share)])
        if "law.K" in own and getattr(element.law, "exponent", None) == HERTZ:
            most = STIFFEST * np.sqrt(extents(made.system, made.count).max())
            if own["law.K"].max() > most:
                found[f"{element.name}.stiff"] = STIFF.format(own["law.K"].max(), most)
    return found


STIFF = (
    "its stiffness of {:.3g} N/m^1.5 is more than diamond has ({:.2g} at the size of this mechanism): is it in another unit? "
    "Hertz' stiffness is 4/3 E* sqrt(R), in N/m^1.5"
)


def _deep(element, share, depth):
    """Words on bodies that penetrate each other by more than the contact's size."""
    size = "clearance" if getattr(element, "clearance", None) is not None else "radius"
    where = "" if len(share) == 1 else f"in {np.sum(share > 1.0)} of {len(share)} runs "
    most = f"by up to {depth:.3g} m, {share.max():.3g} times the {size}"
    told = f"{where}the bodies penetrate each other {most}: it is too soft for its loads"
    exponent = getattr(element.law, "exponent", None)
    if exponent is None or np.ndim(exponent):
        return told
    power = "" if exponent == 1.0 else f"^{float(exponent):g}"
    return f"{told}; is its stiffness in N/m{power}? 1 N/mm{power} is {1e3 ** float(exponent):.3g}"


__all__ = ["implausible"]
