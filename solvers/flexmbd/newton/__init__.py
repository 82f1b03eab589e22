"""Newton corrections of implicit steps, as graph nodes: one module for each form of the constrained equations."""

from flexmbd.newton.index2 import newton_index2
from flexmbd.newton.index3 import equations, newton
from flexmbd.newton.midpoint import newton_midpoint
from flexmbd.newton.stabilised import newton_stabilised

__all__ = ["equations", "newton", "newton_index2", "newton_midpoint", "newton_stabilised"]
