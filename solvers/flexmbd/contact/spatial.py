"""What clearance joints in space share: film and its transition to contact."""

from typing import ClassVar

from flexmbd.contact.clearance import check_play
from flexmbd.contact.film import check_film, film_leaves, film_structure, handed_over
from flexmbd.contact.points import PointContact
from flexmbd.contact.spatial_outputs import film_outputs
from flexmbd.space import AXES


class SpatialContact(PointContact):
    """Base of clearance joints in space; a subclass gives `places(build)`, and with a film `wet(build)`, which applies it."""

    asperities: ClassVar = None

    def check(self):
        """Check the numbers that these joints share."""
        check_play(self, "clearance", "bearing_radius")
        object.__setattr__(self, "transition", check_film(self))
        self.check_friction()

    def sizes(self):
        """Clearance and bearing radius."""
        return {"clearance": self.clearance, "bearing_radius": self.bearing_radius}

    def parameters(self):
        """Numbers of geometry, laws and film."""
        return {**(self.sizes() if self.law is None else super().parameters()), **film_leaves(self)}

    def topology_key(self):
        """Laws and film, and whether the joint starts as an ideal one."""
        return (*(() if self.law is None else super().topology_key()), *film_structure(self), self.start)

    def normal_force(self, build, penetration, rate):
        """The contact's, of which a transition from the film may take a part."""
        pair, normal = super().normal_force(build, penetration, rate)
        return pair, handed_over(self, build, normal, penetration, rate)

    def apply(self, build):
        """Forces of all potential contact points, and of the film."""
        found = [self._touched(build, place) for place in self.places(build)] if self.law is not None else []
        build.remember(self, places=found, **({} if self.film is None else self.wet(build)))

    def outputs(self, build):
        """Those of each contact point; the film's; the eccentricity."""
        out = super().outputs(build) | ({} if self.film is None else film_outputs(self, build))
        for k, axis in enumerate(AXES):
            out[f"{self.name}.e{axis}"] = (lambda k=k: build.values(self.apart(build))[k], "m")
        return out
