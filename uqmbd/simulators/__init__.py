"""Adapters that make a solver, a Python function or a command a `Simulator`."""

from uqmbd.simulators.base import Simulator

__all__ = ["Simulator"]
