"""Controllers: a command from what is measured, with states of their own."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.forces.coordinates import COORDINATES, Coordinate
from flexmbd.motion import as_motion


@dataclass(frozen=True, eq=False)
class PID:
    """Command ``u = kp e + x + kd r`` for an `Actuator`, with the error ``e = target - measured``.

    ``x' = ki e + (s - u)/tracking``, where s is the command that the actuator's limits let through: so the integral does not wind up.
    r is the rate of the error, or with a `filter` T ``T r' = e' - r``.  Both states are zero at the start.

    With a `sample` h it is a digital one: it measures at t = 0, h, 2 h ..., and its command holds in between. There
    ``r = (e - e_before)/h``, zero at first, with a filter ``r + h/(T + h) ((e - e_before)/h - r)``, and x grows by h times the above
    (Åström and Wittenmark 1997, Computer-Controlled Systems, 3rd ed., ch. 8).

    Parameters
    ----------
    measured : AngleOf or PlaceOf, or another Coordinate
    target : Motion or float or ndarray
        rad or m over s.
    kp, ki, kd : float or ndarray
        N m/rad, N m/(rad s), N m s/rad; or N/m, N/(m s), N s/m.
    filter : float or ndarray, optional
        Time constant of the rate, s.
    tracking : float or ndarray, optional
        Time in which the integral gives way to limits, s; ``kp/ki`` unless said, and ``float("inf")`` for an integral that winds up.
    sample : float or ndarray, optional
        Time between two samples, s; left out it is continuous.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> arm = s.body("arm", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), arm.centre))
    >>> turn = fm.AngleOf(s.ground, arm)
    >>> servo = s.add(fm.Actuator("servo", turn, fm.PID(turn, 0.5, kp=20.0, kd=2.0)))
    >>> found = fm.run(s, end=2.0, points=3, outputs=["arm.angle"])
    >>> round(float(found["arm.angle"][-1]), 6)  # rad, the target
    0.5
    """

    measured: object
    target: object
    kp: object
    ki: object = 0.0
    kd: object = 0.0
    filter: object = None
    tracking: object = None
    sample: object = None

    def __post_init__(self):
        if not isinstance(self.measured, Coordinate):
            raise ModelError(f"PID: measured is {self.measured!r}; it must be {COORDINATES}")
        for key in ("kp", "ki", "kd", "filter", "sample"):
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, check_number("PID", key, value, positive=key in ("filter", "sample")))
        if self.tracking is None:
            integrates = bool(np.all(self.ki)) and bool(np.all(self.kp))
            object.__setattr__(self, "tracking", np.abs(np.divide(self.kp, self.ki)) if integrates else 1.0)
        elif np.ndim(self.tracking) or self.tracking != float("inf"):
            object.__setattr__(self, "tracking", check_number("PID", "tracking", self.tracking, positive=True))

    @property
    def bodies(self):
        """What is measured between."""
        return self.measured.bodies

    @property
    def _integrates(self):
        return bool(np.any(self.ki))

    def topology_key(self):
        """What is measured, kind of the target, and which terms there are."""
        return (self.measured.topology_key(), as_motion(self.target).topology_key(), self._integrates, self.filter is None, self._winds_up,
                self.sample is None)  # fmt: skip

    @property
    def _winds_up(self):
        return not np.ndim(self.tracking) and self.tracking == float("inf")

    def parameters(self):
        """Gains, times, target, and what is measured."""
        out = {key: getattr(self, key) for key in ("kp", "ki", "kd")} | ({} if self._winds_up else {"tracking": self.tracking})
        out |= {key: getattr(self, key) for key in ("filter", "sample") if getattr(self, key) is not None}
        out |= {f"target.{k}": x for k, x in as_motion(self.target).parameters().items()}
        return out | {f"measured.{k}": x for k, x in self.measured.parameters().items()}

    def command(self, equations, element, limited):
        """Node of the command; `limited` gives what of a command passes the limits."""
        g = equations.graph

        def number(key):
            return equations.number(element, f"command.{key}")

        value, speed = self.measured.nodes(equations, element, "command.measured.")
        wanted = as_motion(self.target).node(equations, lambda key: number(f"target.{key}"))
        error, rate = wanted - value, g.derivative(wanted, equations.time) - speed
        if self.sample is not None:
            return self._sampled(equations, element, number, error, limited)
        total, integral = number("kp") * error, g.const(0.0)
        if self.filter is not None:
            slow = equations.state(element, "rate", controlled=True)
            equations.state_rate(slow, (rate - slow) / number("filter"))
            rate = slow
        total = total + number("kd") * rate
        if self._integrates:
            integral = equations.state(element, "integral", controlled=True)
            total = total + integral
            excess = g.const(0.0) if self._winds_up else (limited(total) - total) / number("tracking")
            equations.state_rate(integral, number("ki") * error + excess)
        equations.keep_nodes(element, error=error, integral=integral)
        return total

    def _sampled(self, equations, element, number, error, limited):
        """Node of the command that holds between samples."""
        g, h = equations.graph, number("sample")
        count, held, before = (equations.state(element, key, controlled=True) for key in ("samples", "held", "before"))
        rate, integral = g.select(g.greater(count, 0.5), (error - before) / h, 0.0), g.const(0.0)
        then = {count: count + 1.0, before: error}
        if self.filter is not None:
            slow = equations.state(element, "rate", controlled=True)
            rate = then[slow] = slow + (rate - slow) * (h / (number("filter") + h))
        command = then[held] = number("kp") * error + number("kd") * rate
        if self._integrates:
            integral = equations.state(element, "integral", controlled=True)
            command = then[held] = command + integral
            excess = g.const(0.0) if self._winds_up else (limited(command) - command) / number("tracking")
            then[integral] = integral + h * (number("ki") * error + excess)
        due = equations.time - count * h
        equations.event(element, due, g.const(1.0), then, period=h)
        equations.keep_nodes(element, error=error, integral=integral)
        return held

    def outputs(self, equations, element):
        """Error and integral."""
        unit = self.measured.measure
        return {
            f"{element.name}.error": (lambda: equations.nodes_of(element)["error"], unit),
            f"{element.name}.integral": (lambda: equations.nodes_of(element)["integral"], element.along.unit),
        }
