"""Ideal joints and drives: rows of the constraint table."""

from flexmbd.joints.cam import Cam
from flexmbd.joints.clamp import Clamp
from flexmbd.joints.distance import Distance
from flexmbd.joints.drives import AngleDrive, DistanceDrive, SlideDrive
from flexmbd.joints.friction import JointFriction
from flexmbd.joints.gears import Gear
from flexmbd.joints.ideal import Fixed, Joint, Revolute, RevoluteTranslational, Translational
from flexmbd.joints.rack import RackPinion
from flexmbd.joints.rod import Rod
from flexmbd.joints.screw import Screw
from flexmbd.joints.sliding import SlidingJoint
from flexmbd.joints.spatial import Cylindrical, Planar, Spherical, Universal

JOINTS = (
    Revolute, Translational, RevoluteTranslational, Fixed, Distance, Spherical, Universal, Cylindrical, Planar, Clamp, AngleDrive,
    DistanceDrive, SlideDrive, Gear, RackPinion, Screw, Cam, SlidingJoint, Rod,
)  # fmt: skip

__all__ = [*(c.__name__ for c in JOINTS), "JOINTS", "Joint", "JointFriction"]
