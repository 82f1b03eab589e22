"""Contacts between bodies, and the laws of their forces."""

from flexmbd.contact.cables import CableContact
from flexmbd.contact.clearance import ClearanceRevolute
from flexmbd.contact.cylinders import SphereCylinder
from flexmbd.contact.cylindrical import ClearanceCylindrical
from flexmbd.contact.discs import DiscDisc, DiscPlane
from flexmbd.contact.granular import GranularContact
from flexmbd.contact.granular_bodies import GrainsBox, GrainsCylinder, GrainsPlane, GrainsRound
from flexmbd.contact.guide import FrictionGuide
from flexmbd.contact.pair import Contact
from flexmbd.contact.planes import BoxPlane, PointPlane
from flexmbd.contact.spheres import SpherePlane, SphereSphere
from flexmbd.contact.spherical import ClearanceSpherical
from flexmbd.contact.thin_disc import ThinDiscPlane
from flexmbd.contact.translational import ClearanceTranslational

CONTACTS = (
    ClearanceRevolute, ClearanceTranslational, ClearanceSpherical, ClearanceCylindrical, DiscPlane, DiscDisc, SpherePlane, SphereSphere,
    ThinDiscPlane, PointPlane, BoxPlane, SphereCylinder, FrictionGuide, CableContact, GranularContact, GrainsPlane, GrainsRound,
    GrainsCylinder, GrainsBox,
)  # fmt: skip

__all__ = [*(c.__name__ for c in CONTACTS), "CONTACTS", "Contact"]
