"""Rules of integration of one gradient-deficient ANCF element (notation of `ancf_elastic`), and what a rule consists of.

- full: Gauss's rule with five points for the axial part (exact for Green's strain), with three for bending.
- reduced: Lobatto's rule at 0, 1/2, 1 for the axial part, Gauss's with three points for bending.

A cubic line cannot bend without stretching somewhere.  Five points see all of that, and coarse elements are too stiff (membrane locking);
the strain at the nodes and in the middle is what the coordinates can make zero.  In a straight element the strain is quadratic in x and
the curvature linear, so three points each leave no motion without energy.
"""

from dataclasses import dataclass

from flexmbd.bodies import ancf_conserving, ancf_damping, ancf_elastic, ancf_full, ancf_reduced, ancf_stiffness


@dataclass(frozen=True)
class Rule:
    """Kernels of a rule.

    The vectors c, a, b of an element come first, then their rates (damping) or those at the step's start (conserving), then ``EA l`` and
    ``EI/l`` (for damping times its times), then the numbers of the measures.
    """

    energy: object
    force: object
    tangent: object
    damping: object
    damping_tangent: object
    conserving: object
    conserving_tangent: object


def _rule(module, name):
    parts = ("energy", "force", "tangent", "damping", "damping_tangent", "conserving", "conserving_tangent")
    return Rule(*(getattr(module, f"cable_{part}_{name}") for part in parts))


RULES = {"reduced": _rule(ancf_reduced, "reduced"), "full": _rule(ancf_full, "full")}
HELPERS = (*ancf_elastic.HELPERS, *ancf_stiffness.HELPERS, *ancf_conserving.HELPERS)
DAMPING_HELPERS = ancf_damping.HELPERS
