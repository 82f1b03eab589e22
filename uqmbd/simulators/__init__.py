"""Adapters that make a solver, a Python function or a command a `Simulator`."""

from uqmbd.simulators.base import STATUS, Outcomes, OutputInfo, Simulator

__all__ = ["STATUS", "Outcomes", "OutputInfo", "Simulator"]
