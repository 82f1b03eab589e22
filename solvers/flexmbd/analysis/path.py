"""States at rest: one, and a path of them with its outputs."""

from dataclasses import dataclass

import numpy as np

from flexmbd.analysis.equations import Equations
from flexmbd.errors import ModelError
from flexmbd.system import System


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Coordinates q (n,) in m or 1, multipliers (rows,) in N or N m, time t in s, and the planar bodies' angles `turns` in rad."""

    q: np.ndarray
    multipliers: np.ndarray
    t: float
    turns: np.ndarray

    def moved(self, equations, dq, dl, dt=0.0):
        """The state changed by dq, dl, dt."""
        q = self.q + dq
        return Equilibrium(q, self.multipliers + dl, self.t + dt, equations.turned(q, self.turns))


@dataclass(frozen=True, eq=False)
class Path:
    """States of equilibrium in the order in which they were found; ``path["rod.E.x"]`` is an output along it.

    Attributes
    ----------
    equations : Equations
    states : list of State
    iterations : ndarray (k,)
        Newton's iterations of each state.
    limit_points : tuple of int
        States where the load parameter turns back (`arc_length` only).
    bifurcations : tuple of int
        States after which the tangent's determinant has changed sign other than by a limit point: another path crosses (`arc_length` only).
    """

    equations: Equations
    states: list
    iterations: np.ndarray
    limit_points: tuple = ()
    bifurcations: tuple = ()

    def __len__(self):
        return len(self.states)

    def state(self, k):
        """State number k, from the end if negative."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not -len(self) <= k < len(self):
            raise ModelError(f"state is {k!r}; the path has states 0 to {len(self) - 1} (-1 is the last)")
        return self.states[k]

    @property
    def t(self):
        """Times, the load parameter, (k,)."""
        return np.array([s.t for s in self.states])

    @property
    def q(self):
        """Coordinates (k, n)."""
        return np.array([s.q for s in self.states])

    @property
    def multipliers(self):
        """Multipliers (k, rows)."""
        return np.array([s.multipliers for s in self.states])

    @property
    def available(self):
        """Names of all outputs."""
        return sorted(self.equations.catalogue)

    def __getitem__(self, name):
        """Values (k,) of an output of the catalogue, at rest."""
        turns = np.array([s.turns for s in self.states]).reshape(len(self), -1)
        value = self.equations.output(name, self.q.T, t=self.t, turns=turns.T, multipliers=self.multipliers.T)
        return np.broadcast_to(value, len(self)).copy()


class StaticsError(ModelError):
    """No equilibrium was found; `path` holds the states found before (None if there is none)."""

    def __init__(self, message, *, path=None, remedy=None):
        super().__init__(message, remedy=remedy)
        self.path = path


def described(equations):
    """What a model is described by: the system of equations that were made before, else the system or model function itself."""
    return equations.system if isinstance(equations, Equations) else equations


def equations_of(build, inputs, spinning=None):
    """`Equations` of a system, of a model function with its inputs, in a turning frame; or those made before."""
    if isinstance(build, (Equations, Path)):
        if spinning is not None:
            raise ModelError("these equations are made already", remedy="give `spinning` where they are made: Equations, static")
        return build.equations if isinstance(build, Path) else build
    system = build if isinstance(build, System) else build(**(inputs or {}))
    if not isinstance(system, System):
        raise ModelError(f"the model function returned {type(system).__name__}; it must return a flexmbd.System")
    if not system.bodies:
        raise ModelError("the system has no body", remedy="add one with System.body")
    return Equations(system, spinning=spinning)
