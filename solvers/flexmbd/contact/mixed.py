"""Rough surfaces in a clearance joint: asperities carry a part of the load, and rub.

Asperities are any object with `name`, `numbers()`, `kernels()` and `check_clearance()` as in ``flexmbd.lubrication.asperities``.
Their pressure adds to the film's: each acts on the whole surface, so neither force is reduced by the other (Johnson, Greenwood and Poon
1972, Wear 19, 91-108).
"""

import numpy as np

from flexmbd.contact.film import slopes
from flexmbd.contact.film_outputs import regime_outputs, size
from flexmbd.contact.pair import FrictionPart
from flexmbd.contact.parts import ContactNodes, Part, Requirement, refuse


class AsperityPart(Part):
    """Rough surfaces, with a film or dry."""

    key = "asperities"
    wanted = "a rough surface such as GreenwoodTripp(density, tip_radius, roughness, ...)"
    needs = (Requirement(("bearing_radius",), "asperities need bearing_radius (m)"),)
    excludes = (Requirement(("worn",), "asperities are for round bearings, not worn ones", "leave out one of both"),)

    @classmethod
    def accepts(cls, given):
        """What can be asked whether it fits a clearance."""
        return not isinstance(given, type) and callable(getattr(given, "check_clearance", None))

    def check(self, joint):
        """Clearance, friction and length."""
        self.given.check_clearance(joint.clearance)
        if joint.friction is not None and joint.friction.states:
            refuse(
                joint,
                f"the friction law '{joint.friction.name}' has a state for one place of contact, and asperities have none",
                "use one without a state, such as MixedFriction",
            )
        lengths = [getattr(part, "length", None) for part in (self.given, joint.film)]
        if None not in lengths and not np.allclose(*lengths, rtol=1e-9, atol=0.0):
            own, other = (np.ravel(length)[0] for length in lengths)
            refuse(joint, f"the asperities have the length {own:g} m and the film {other:g} m; both are the bearing's")

    def apply(self, joint, equations, nodes):
        """Force of the asperities along the line of centres, and their energy."""
        g, kernels = equations.graph, self.given.kernels()
        numbers = [equations.number(joint, key) for key in self.numbers(joint)]
        place = equations.values(joint.apart(equations))
        arguments = (*place, equations.number(joint, "clearance"), equations.number(joint, "bearing_radius"), *numbers)
        equations.use(kernels)

        def partial(arguments):
            fx, fy, _energy, _load, by_x, by_y = g.call(kernels.contact, arguments, 6, partial)
            return slopes(g, kernels.tangent, 2, 2)(arguments) | {(2, 0): -fx, (2, 1): -fy, (3, 0): by_x, (3, 1): by_y}

        fx, fy, energy, nodes.load, *_ = g.call(kernels.contact, arguments, 6, partial)
        nodes.gap, nodes.roughness = arguments[2] - g.length(place), equations.number(joint, "asperities.sigma")
        joint.push(equations, nodes, fx, fy)
        equations.potential(energy)
        nodes.asperities = fx, fy

    def outputs(self, joint, equations, nodes):
        """Force, load, thickness by roughness; the regime."""
        return regime_outputs(joint, equations, nodes) | {
            f"{joint.name}.asperity_force": (lambda: size(equations.graph, nodes.asperities), "N"),
            f"{joint.name}.asperity_load": (lambda: nodes.load, "N"),
            f"{joint.name}.lambda_ratio": (lambda: nodes.gap / nodes.roughness, "1"),
        }


class JournalFrictionPart(FrictionPart):
    """Friction of a journal: of contact, asperities or both."""

    needs = (*FrictionPart.needs, Requirement(("bearing_radius",), "friction needs bearing_radius (m)"))

    def apply(self, joint, equations, nodes):
        """That of asperities alone; a contact law applies it with its own force."""
        if joint.law is not None:
            return
        (point,), zero = joint.contact_points(equations), equations.graph.const(0.0)
        friction = joint.rub(equations, None, point, nodes.load)
        point.act(joint, equations, zero, friction)
        nodes.add(ContactNodes(None, zero, friction, point))
