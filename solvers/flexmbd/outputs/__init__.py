"""Sensors and running reductions."""

from flexmbd.outputs.catalogue import bringing, catalogue
from flexmbd.outputs.reductions import REDUCTIONS

__all__ = ["REDUCTIONS", "bringing", "catalogue"]
