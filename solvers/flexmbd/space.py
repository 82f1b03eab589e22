"""Axes, and whether something lies in the plane or in space."""

AXES = "xyz"


def is_spatial(end):
    """True for a point or body in space; false for what is neither, which `System.add` refuses by name."""
    return getattr(getattr(end, "body", end), "dimension", 2) == 3
