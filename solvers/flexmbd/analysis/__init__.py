"""What follows from a system's equations of one sample, evaluated by numpy: linear equations, inverse dynamics, sensitivities."""

from flexmbd.analysis.inverse_dynamics import inverse_dynamics
from flexmbd.analysis.state_space import StateSpace, state_space

__all__ = ["StateSpace", "inverse_dynamics", "state_space"]
