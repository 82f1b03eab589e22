"""Impacts at a point with friction, and simultaneous impacts: functions of small arrays that stand alone, outside of any model."""

from flexmbd.impacts.multiple import Impacts, multiple_impacts
from flexmbd.impacts.planar import planar_impact
from flexmbd.impacts.result import Impact, Phase, energy_change
from flexmbd.impacts.spatial import spatial_impact

__all__ = ["Impact", "Impacts", "Phase", "energy_change", "multiple_impacts", "planar_impact", "spatial_impact"]
