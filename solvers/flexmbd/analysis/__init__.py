"""What follows from a system's equations of one sample, evaluated by numpy: linear equations, inverse dynamics, sensitivities."""

from flexmbd.analysis.inverse_dynamics import inverse_dynamics
from flexmbd.analysis.sensitivities import Sensitivities, sensitivities
from flexmbd.analysis.state_space import StateSpace, state_space

__all__ = ["Sensitivities", "StateSpace", "inverse_dynamics", "sensitivities", "state_space"]
