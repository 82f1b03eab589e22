"""Ideal joints and drives: rows of the quadratic constraint table."""

from flexmbd.joints.drives import AngleDrive, DistanceDrive, SlideDrive
from flexmbd.joints.ideal import Fixed, Joint, Revolute, RevoluteTranslational, Translational

JOINTS = (Revolute, Translational, RevoluteTranslational, Fixed, AngleDrive, DistanceDrive, SlideDrive)

__all__ = [*(c.__name__ for c in JOINTS), "JOINTS", "Joint"]
