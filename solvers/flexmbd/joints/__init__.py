"""Ideal joints and drives: rows of the quadratic constraint table."""

from flexmbd.joints.drives import AngleDrive, DistanceDrive, SlideDrive
from flexmbd.joints.ideal import Fixed, Joint, Revolute, RevoluteTranslational, Row, Translational
from flexmbd.joints.motion import ConstantSpeed, Fourier, Harmonic, Motion, Polynomial

JOINTS = (Revolute, Translational, RevoluteTranslational, Fixed, AngleDrive, DistanceDrive, SlideDrive)
MOTIONS = (Polynomial, Harmonic, Fourier)

__all__ = [*(c.__name__ for c in JOINTS + MOTIONS), "ConstantSpeed", "JOINTS", "MOTIONS", "Joint", "Motion", "Row"]
