"""What follows from a system's equations of one sample, evaluated by numpy; nothing is compiled.

Equilibria, paths of equilibria through limit points, vibrations about them, linear state space, inverse dynamics, sensitivities, and an
independent integration. In statics the load parameter is the time: what is to grow from zero is given as a function of it, for instance
``PointForce("tip", point, fy=Polynomial((0.0, -P)))`` from t = 0 to 1.
"""

from flexmbd.analysis.continuation import arc_length
from flexmbd.analysis.equilibrium import static
from flexmbd.analysis.inverse_dynamics import inverse_dynamics
from flexmbd.analysis.path import Path, StaticsError
from flexmbd.analysis.sensitivities import Sensitivities, sensitivities
from flexmbd.analysis.state_space import StateSpace, state_space
from flexmbd.analysis.vibration import Modes, modes

__all__ = [
    "Modes", "Path", "Sensitivities", "StateSpace", "StaticsError", "arc_length", "inverse_dynamics", "modes", "sensitivities",
    "state_space", "static",
]  # fmt: skip
