"""Rough surfaces in a clearance joint: asperities carry a part of the load, and rub.

Asperities are any object with `name`, `numbers()`, `kernels()` and `check_clearance()` as in ``flexmbd.lubrication.asperities``.
Their pressure adds to the film's: each acts on the whole surface, so neither force is reduced by the other (Johnson, Greenwood and Poon
1972, Wear 19, 91-108).
"""

import numpy as np

from flexmbd.errors import ModelError


def check_asperities(joint):
    """Check that a clearance joint has what its asperities need."""
    owner, rough = f"clearance joint '{joint.name}'", joint.asperities
    if rough is None:
        return
    if isinstance(rough, type) or not callable(getattr(rough, "check_clearance", None)):
        raise ModelError(
            f"{owner}: asperities is {rough!r}; it must be a rough surface such as GreenwoodTripp(density, tip_radius, roughness, ...)",
            element=joint.name,
        )
    if joint.bearing_radius is None:
        raise ModelError(f"{owner}: asperities need bearing_radius (m)", element=joint.name)
    rough.check_clearance(joint.clearance)
    if joint.worn is not None:
        raise ModelError(f"{owner}: asperities are for round bearings, not worn ones", element=joint.name, remedy="leave out one of both")
    if joint.friction is not None and joint.friction.states:
        raise ModelError(
            f"{owner}: the friction law '{joint.friction.name}' has a state for one place of contact, and asperities have none",
            element=joint.name,
            remedy="use one without a state, such as MixedFriction",
        )
    lengths = [getattr(part, "length", None) for part in (rough, joint.film)]
    if None not in lengths and not np.allclose(*lengths, rtol=1e-9, atol=0.0):
        raise ModelError(
            f"{owner}: the asperities have the length {np.ravel(lengths[0])[0]:g} m and the film {np.ravel(lengths[1])[0]:g} m; "
            "both are the bearing's",
            element=joint.name,
        )


def asperity_leaves(joint):
    """Numbers of the asperities; without a contact law the friction's too, which a contact would have."""
    if joint.asperities is None:
        return {}
    friction = {} if joint.law is not None or joint.friction is None else joint.friction.numbers()
    return {f"asperities.{k}": x for k, x in joint.asperities.numbers().items()} | {f"friction.{k}": x for k, x in friction.items()}


def asperity_structure(joint):
    """Name of the asperities and of their kernel; without a contact law the friction's too, which a contact would name."""
    if joint.asperities is None:
        return ()
    friction = () if joint.law is not None or joint.friction is None else (joint.friction.name, joint.friction.kernels().force.__name__)
    return (joint.asperities.name, joint.asperities.kernels().contact.__name__, *friction)


def apply_asperities(joint, build, eccentricity):
    """Force of the asperities along the line of centres, and their energy; what friction and outputs need of them, by name."""
    g, kernels = build.graph, joint.asperities.kernels()
    numbers = [build.number(joint, f"asperities.{k}") for k in joint.asperities.numbers()]
    arguments = (*build.values(eccentricity), build.number(joint, "clearance"), build.number(joint, "bearing_radius"), *numbers)
    build.use(kernels)

    def partial(arguments):
        fx, fy, _energy, _load, by_x, by_y = g.call(kernels.contact, arguments, 6, partial)
        slopes = g.call(kernels.tangent, arguments, 4)
        force = {(k, j): slopes[2 * k + j] for k in range(2) for j in range(2)}
        return force | {(2, 0): -fx, (2, 1): -fy, (3, 0): by_x, (3, 1): by_y}

    fx, fy, energy, load, *_ = g.call(kernels.contact, arguments, 6, partial)
    x, y, c, *_ = arguments
    squared = x * x + y * y
    gap = c - g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
    build.force(joint.a, fx, fy)
    build.force(joint.b, -fx, -fy)
    build.potential(energy)
    return {"asperities": (fx, fy), "asperity_load": load, "roughness": build.number(joint, "asperities.sigma"), "gap": gap}


def apply_friction(joint, build):
    """Friction of the asperities where there is no contact law; the nodes of it."""
    geometry = joint.geometry(build)
    slip_force = joint.rub(build, None, geometry, build.graph.const(0.0))
    nx, ny = geometry.normal
    fx, fy = slip_force * ny, -slip_force * nx
    build.force(joint.a, fx, fy)
    build.force(joint.b, -fx, -fy)
    return {"geometry": geometry, "slip_force": slip_force, "rubbing": (fx, fy)}
