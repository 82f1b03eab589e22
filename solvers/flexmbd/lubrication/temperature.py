"""One temperature of a film, which its own losses raise."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number


@dataclass(frozen=True, eq=False)
class FilmTemperature:
    """``C dT/dt = P - G (T - T_a)``: all that the film dissipates and all friction in the joint (P) heat one capacity, and the film's
    viscosity is that of its law at T; see docs/theory/mixed_lubrication.md.

    Parameters
    ----------
    law : Vogel or Walther
        The shape of viscosity over temperature; its level is the film's own `viscosity`, which is that at `reference`.
    start : float or ndarray
        Temperature at t = 0, K.
    ambient : float or ndarray
        T_a of what the heat goes to: the oil fed, the housing, K.
    heat_capacity : float or ndarray
        C of what is warmed (oil, and as much of the metal as follows it), J/K.
    conductance : float or ndarray
        G >= 0 to the ambient, W/K; of a flow Q of oil ``rho c_p Q``.
    reference : float or ndarray, optional
        Temperature at which the film has its own `viscosity`, K; None is `start`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> heat = fm.FilmTemperature(fm.Vogel.iso_vg(32), start=313.15, ambient=313.15, heat_capacity=50.0, conductance=2.0)
    >>> s = fm.System()
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01, rate=300.0)
    >>> film = {"film": fm.ShortFilm(0.029, 0.02), "temperature": heat}
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, **film))
    >>> fm.output_units(s)["joint.temperature"]
    'K'
    """

    name: ClassVar[str] = "film_temperature"

    law: Any
    start: Any
    ambient: Any
    heat_capacity: Any
    conductance: Any
    reference: Any = None

    def __post_init__(self):
        if not callable(getattr(self.law, "kernels", None)) or not callable(getattr(self.law, "viscosity", None)):
            raise ModelError(f"{self.name}: law is {self.law!r}; it must be Vogel(...) or Walther(...)", element=self.name)
        if self.reference is None:
            object.__setattr__(self, "reference", self.start)
        for key in ("start", "ambient", "heat_capacity", "conductance", "reference"):
            value = check_number(self.name, key, getattr(self, key), positive=key != "conductance")
            object.__setattr__(self, key, value)
        if np.any(np.asarray(self.conductance) < 0.0):
            raise ModelError(f"{self.name}: conductance is {np.min(self.conductance):g} W/K; it must be at least 0", element=self.name)
        for key in ("start", "ambient", "reference"):
            try:
                self.law.viscosity(getattr(self, key))
            except ModelError as error:
                raise ModelError(f"{self.name}: the law has no viscosity at {key}: {error}", element=self.name) from error

    def numbers(self):
        """Temperatures (K), capacity (J/K), conductance (W/K), and the law's."""
        keys = ("start", "ambient", "heat_capacity", "conductance", "reference")
        return {key: getattr(self, key) for key in keys} | {f"law.{k}": x for k, x in self.law.numbers().items()}

    def kernels(self):
        """Viscosity at T by that at `reference`, and its derivative."""
        return self.law.kernels()
