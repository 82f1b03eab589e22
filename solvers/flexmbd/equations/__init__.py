"""Newton corrections of implicit steps, as graph nodes: one module for each form of the constrained equations."""

from flexmbd.equations.index2 import newton_index2
from flexmbd.equations.index3 import newton, newton_equations
from flexmbd.equations.midpoint import newton_midpoint
from flexmbd.equations.stabilised import newton_stabilised

__all__ = ["newton_equations", "newton", "newton_index2", "newton_midpoint", "newton_stabilised"]
