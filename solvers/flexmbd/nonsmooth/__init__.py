"""Solvers of contact problems given as arrays (docs/theory/contact_solvers.md). They stand alone; runs use `one_contact` of them."""

from flexmbd.nonsmooth.horizontal import guide_friction, horizontal_lcp
from flexmbd.nonsmooth.lemke import Complementary, lcp
from flexmbd.nonsmooth.problem import ContactProblem, Solution
from flexmbd.nonsmooth.solving import SOLVERS, solve
from flexmbd.nonsmooth.spheres import Spheres, box

__all__ = ["SOLVERS", "Complementary", "ContactProblem", "Solution", "Spheres", "box", "guide_friction", "horizontal_lcp", "lcp", "solve"]
