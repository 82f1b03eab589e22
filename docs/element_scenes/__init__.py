"""One small system for each element of flexmbd: what `docs/elements.py` draws, and asks for its outputs.

The element under test is always named "it"; bodies have names that outputs do not begin with.
"""

from element_scenes import bodies_and_joints, contacts, forces
from element_scenes.common import SCENES

__all__ = ["SCENES", "bodies_and_joints", "contacts", "forces"]
