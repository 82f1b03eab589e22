"""Equilibrium, paths of equilibria through limit points, and vibrations about them, of one sample.

The load parameter is the time: what is to grow from zero is given as a function of it, for instance
``PointForce("tip", point, fy=Polynomial((0.0, -P)))`` from t = 0 to 1.
"""

from flexmbd.statics.continuation import arc_length
from flexmbd.statics.equilibrium import static
from flexmbd.statics.path import Path, StaticsError
from flexmbd.statics.vibration import Modes, modes

__all__ = ["Modes", "Path", "StaticsError", "arc_length", "modes", "static"]
