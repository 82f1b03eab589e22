"""Scales of a mechanism, in m and m/s: its size, how far away it is, and for each contact what is small.

All follow from lengths, masses and laws, so they change with the units in which these are written as every other length and speed does.
"""

import numpy as np

from flexmbd.language.evaluation import on_arrays
from flexmbd.running.inertias import radius_of_gyration

COARSEST, FINEST = 1e-10, 1e-13  # m: between them the event tolerance is 1e-4 of the setting `tolerance`, unless a contact is small
SLOWEST = 1e-3  # m/s: least impact velocity, unless the mechanism or its impacts are small
RATE = 0.1  # 1/s: by the mechanism's size, an impact so slow is slow
DEEP = {"clearance": 2e-2, "radius": 1e-4, "radius_a": 1e-4, "radius_b": 1e-4}  # penetrations, by the sizes of contacts, of no slow impact
SHARE = 1e-2  # of the penetration in the slowest impact, within which events are located: it costs 1e-4 of that impact's energy or less
NARROW = 1e-6  # and of the clearance
LEAP = 0.25  # of a radius
ROUNDED = 1.8e-15  # of the distance from the origin: no event is located more finely (`events.nearness`)


def extents(system, count):
    """Size of each sample's mechanism: the widest that its places lie apart at the start, or a body's points or radius of gyration.

    Parameters
    ----------
    system : System or Stack
    count : int
        Samples.

    Returns
    -------
    ndarray (count,)
        m; 1 where nothing has a size.
    """
    parameters, (q, _), first = system.parameters(), system.initial(), 0
    low, high = (np.full((system.dimension, count), x) for x in (np.inf, -np.inf))
    size = np.zeros(count)
    for body in (*system.bodies, system.ground):
        own = q[first : first + body.coordinates]
        first += body.coordinates
        places = list(body.places(own, parameters))
        for k, axis in enumerate(zip(*places, strict=True)):
            single = [x for x in axis if isinstance(x, float)]
            for x in (min(single), max(single), *(x for x in axis if not isinstance(x, float))) if single else axis:
                low[k], high[k] = np.minimum(low[k], x), np.maximum(high[k], x)
        size = np.maximum(size, radius_of_gyration(body, parameters))
    with np.errstate(invalid="ignore"):
        apart = np.where(np.isfinite(low) & np.isfinite(high), high - low, 0.0)
    size = np.maximum(size, apart.max(axis=0))
    return np.where(size > 0, size, 1.0)


def leaps(system, count):
    """Longest way in a step of each sample, m: `LEAP` of what is smallest among bodies whose contacts are not located; else infinite."""
    parameters, least = system.parameters(), np.full(count, np.inf)
    for body in system.bodies:
        for path in getattr(body, "radii", ()):
            least = np.minimum(least, LEAP * parameters[path])
    return least


def contact_scales(system, elements, size, settings):
    """What is small for each contact.

    Parameters
    ----------
    system : System or Stack
    elements : sequence of Contact
        The element of each place of contact.
    size : ndarray (count,)
        `extents`.
    settings : Settings

    Returns
    -------
    nearness : ndarray (contacts, count)
        Penetration in m within which onset and end are located: that of the settings, or `COARSEST` and less: not more than `SHARE` of the
        penetration in the slowest impact, nor `NARROW` of the clearance.
    slowest : ndarray (contacts, count)
        Least impact velocity in m/s, of contacts that are given none: at most `SLOWEST`, `RATE` of the mechanism's size, and the speed of
        an impact that penetrates to `DEEP` of the contact's own sizes.
    """
    parameters, count = system.parameters(), len(size)
    usual = min(max(1e-4 * settings.tolerance, FINEST), COARSEST)
    nearness, slowest = np.full((len(elements), count), settings.event_tolerance or usual), np.full((len(elements), count), SLOWEST)
    for j, element in enumerate(elements):
        mass, energy = _impact(element, parameters, count)
        sizes = {key: parameters[f"@{element.name}.{key}"] for key in DEEP if f"@{element.name}.{key}" in parameters}
        slowest[j] = np.minimum(SLOWEST, RATE * size)
        for key, x in sizes.items() if energy else ():
            slowest[j] = np.minimum(slowest[j], np.sqrt(2.0 * energy(DEEP[key] * x) / mass))
        given = parameters.get(f"@{element.name}.minimum_impact_velocity")
        slowest[j] = slowest[j] if given is None else given
        if not settings.event_tolerance:
            if "clearance" in sizes:
                nearness[j] = np.minimum(nearness[j], NARROW * sizes["clearance"])
            if energy:
                speed = np.minimum(slowest[j], np.minimum(SLOWEST, RATE * size))
                nearness[j] = np.minimum(nearness[j], SHARE * _depth(energy, 0.5 * mass * speed * speed, NARROW * size))
    return nearness, slowest


def coarse_events(system, elements, nearness, slowest, away):
    """By the name of a contact a sentence, where impacts above its least impact velocity penetrate hardly more than events are located to.

    Parameters
    ----------
    system, elements, nearness, slowest
        See `contact_scales`.
    away : ndarray (count,)
        Distance of places from the origin in m, which are rounded.

    Returns
    -------
    dict of str to str
    """
    parameters, found = system.parameters(), {}
    for j, element in enumerate(elements):
        mass, energy = _impact(element, parameters, len(away))
        if energy is not None:
            located = np.maximum(nearness[j], ROUNDED * away)
            speed = np.sqrt(2.0 * energy(10.0 * located) / mass)
            worst = int(np.argmax(speed - slowest[j]))
            if speed[worst] > slowest[j][worst]:
                found[element.name] = (
                    f"impacts slower than {speed[worst]:.2g} m/s penetrate by less than ten times the {located[worst]:.2g} m within which "
                    "onset and end of contact are located, so their restitution is not right: "
                    + ("give a smaller event_tolerance" if located[worst] == nearness[j][worst] else "move the origin to the mechanism")
                )
    return found


def _impact(element, parameters, count):
    """Mass in kg that an impact of both bodies moves, and the energy that the law stores by penetration; None for what is not known."""
    if getattr(element, "law", None) is None or (mass := _mass(element, parameters)) is None:
        return None, None
    kernel = on_arrays(element.law.kernels().energy)
    numbers = [np.broadcast_to(parameters[f"@{element.name}.law.{key}"], count) for key in element.law.numbers()]
    return mass, lambda depth: kernel(np.broadcast_to(depth, count), *numbers)


def _mass(element, parameters):
    """Mass that an impact of two bodies moves, in kg; None where neither body has a mass of its own."""
    inverse = 0.0
    for end in (element.a, element.b):
        mass = parameters.get(f"{end.body.name}.mass")
        inverse = inverse if mass is None else inverse + 1.0 / mass
    return 1.0 / inverse if np.any(inverse) else None


def _depth(energy, wanted, guess):
    """Penetration at which a law has stored an energy: it grows with its second to fourth power."""
    depth = np.array(guess, float)
    with np.errstate(all="ignore"):
        for _ in range(20):
            depth = depth * np.clip(wanted / energy(depth), 1e-9, 1e9) ** (1.0 / 2.5)
    return np.where(np.isfinite(depth) & (depth > 0), depth, np.inf)
