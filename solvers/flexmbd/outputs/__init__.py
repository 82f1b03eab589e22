"""Sensors and running reductions."""

from flexmbd.outputs.catalogue import catalogue
from flexmbd.outputs.reductions import REDUCTIONS

__all__ = ["REDUCTIONS", "catalogue"]
