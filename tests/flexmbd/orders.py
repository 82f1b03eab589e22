"""Schemes whose order follows from a setting, and settings at which tests of orders take them."""

from flexmbd.integrators import INTEGRATORS

TUNED = {"taylor": {"tolerance": 1e-3}}  # order 5


def tuned(name):
    """The scheme of that name with such a setting."""
    scheme = INTEGRATORS[name]
    return scheme.tuned(TUNED[name][scheme.setting]) if name in TUNED else scheme
