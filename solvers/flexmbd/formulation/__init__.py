"""From a system to its equations as graph nodes."""

from flexmbd.formulation.natural import Build

FORMULATIONS = {"natural": Build}

__all__ = ["FORMULATIONS"]
