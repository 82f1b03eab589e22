"""Impacts at a point with friction, and simultaneous impacts: functions of small arrays."""

from flexmbd.impacts.planar import planar_impact
from flexmbd.impacts.result import Impact, Phase, energy_change

__all__ = ["Impact", "Phase", "energy_change", "planar_impact"]
