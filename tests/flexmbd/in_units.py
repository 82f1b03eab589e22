"""Systems, laws and films in other units of length, mass and time: each number with the dimension that its documentation states."""

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np

import flexmbd as fm
from flexmbd.lubrication.film_map import FilmMap
from flexmbd.motion import Motion
from flexmbd.motion import Sum as SumOfMotions

BASE = {
    "1": (0, 0, 0), "rad": (0, 0, 0), "K": (0, 0, 0), "m": (1, 0, 0), "kg": (0, 1, 0), "s": (0, 0, 1), "N": (1, 1, -2), "J": (2, 1, -2),
    "W": (2, 1, -3), "Pa": (-1, 1, -2),
}  # fmt: skip


@dataclass(frozen=True)
class Units:
    """How many units make a metre, a kilogram and a second."""

    m: float = 1.0
    kg: float = 1.0
    s: float = 1.0

    def size(self, unit):
        """What a number in an SI unit such as ``"N s/m"`` is multiplied by; a slash holds for what follows it up to the next blank."""
        total = 1.0
        for word in unit.split():
            for k, part in enumerate(word.split("/")):
                name, _, power = part.partition("^")
                power = float(power or 1) * (-1 if k else 1)
                for base, exponent in zip((self.m, self.kg, self.s), BASE[name], strict=True):
                    total *= base ** (exponent * power)
        return total


SI = Units()
LINEAR = {"stiffness": "N/m", "damping": "N s/m"}
ANGULAR = {"stiffness": "N m", "damping": "N m s"}
ENDS = {"angle": "1", "axis": "1", "axis_b": "1", "pressure_angle": "1", "teeth": "1"}
ENDS |= {"radius": "m", "length": "m", "lead": "m", "collar": "m"}
START = {"position": "m", "velocity": "m/s", "offset": "m", "mass": "kg", "inertia": "kg m^2"}
COMMANDS = {fm.AngleOf: ("N m", "1"), fm.PlaceOf: ("N", "m")}
FIELDS = {
    fm.RigidBody: START | {"angle": "1", "rate": "1/s"},
    fm.PointMass: START | {"dimension": "1"},
    fm.SpatialBody: START | {"rotation": "1", "angular_velocity": "1/s"},
    fm.Point: {"at": "m"},
    fm.AncfCable: {"position": "m", "velocity": "m/s", "along": "1", "spinning": "1/s", "damping": "s", "elements": "1"},
    fm.Section: {"area": "m^2", "second_moment": "m^4", "second_moment_y": "m^4", "torsion": "m^4", "shear": "1", "shear_z": "1"},
    fm.AngleDrive: {"motion": ("1", "s")},
    fm.DistanceDrive: {"motion": ("m", "s")},
    fm.SlideDrive: {"motion": ("m", "s")},
    fm.Cam: {"lift": ("m", "1")},
    fm.PointForce: dict.fromkeys(("fx", "fy", "fz"), ("N", "s")),
    fm.Torque: {"moment": ("N m", "s")},
    fm.Spring: LINEAR | {"length": "m"},
    fm.TorsionSpring: ANGULAR,
    fm.NonlinearSpring: {"force": ("N", "m"), "damping": ("N", "m/s")},
    fm.NonlinearTorsionSpring: {"moment": ("N m", "1"), "damping": ("N m", "1/s")},
    fm.Bushing: {"stiffness": ("N/m",) * 3 + ("N m",) * 3, "damping": ("N s/m",) * 3 + ("N m s",) * 3, "axes": "1"},
    fm.GearMesh: LINEAR | {"backlash": "m"},
    fm.Rack: LINEAR | {"backlash": "m"},
    fm.Material: {"E": "Pa", "nu": "1", "density": "kg/m^3"},
    fm.KelvinVoigt: LINEAR,
    fm.Ambrosio: {"mu": "1", "v0": "m/s", "v1": "m/s"},
    fm.CoulombExponential: {"mu": "1", "reference_velocity": "m/s", "steepness": "1"},
    fm.LuGre: {"bristle_stiffness": "1/m", "bristle_damping": "s/m", "viscous": "s/m"},
    fm.Stribeck: {"viscous": "s/m"},
    fm.Threlfall: {"mu": "1", "reference_velocity": "m/s"},
    fm.MixedFriction: {"mu": "1", "tolerance_velocity": "m/s"},
    fm.GreenwoodTripp: {"density": "1/m^2", "tip_radius": "m", "roughness": "m", "modulus": "Pa", "length": "m"},
    fm.FilmTemperature: {"start": "K", "ambient": "K", "heat_capacity": "J/K", "conductance": "W/K", "reference": "K"},
    fm.Vogel: {"a": "Pa s", "b": "K", "c": "K"},
    fm.FloresTransition: {"film_tolerance": "m", "dry_tolerance": "m", "largest": "1"},
    fm.SmoothTransition: {"fade": "1", "largest": "1"},
    fm.WornProfile: {"mean": "m", "cosine": "m", "sine": "m"},
    fm.ClearanceRevolute: {"clearance": "m", "bearing_radius": "m", "minimum_impact_velocity": "m/s"},
    fm.DiscPlane: {"normal": "1", "minimum_impact_velocity": "m/s"},
}
LAWS = {
    "mu_static": "1", "mu_kinetic": "1", "stribeck_velocity": "m/s", "tolerance_velocity": "m/s", "restitution": "1", "exponent": "1",
    "bearing_radius": "m", "journal_radius": "m", "length": "m", "viscosity": "Pa s", "side_pressure": "Pa", "cells": "1",
}  # fmt: skip

NUMBERS = {"drag": {"c": "kg/m"}, "coil": {"k": "N m", "c": "N m s"}}


def dimension(thing, key):
    """Unit of a field; of a motion the units of value and argument."""
    if key == "stiffness" and hasattr(thing, "exponent"):
        return f"N/m^{thing.exponent!r}"
    known = FIELDS.get(type(thing), {}) | {k: unit for k, unit in (ENDS | LAWS).items() if k not in FIELDS.get(type(thing), {})}
    if isinstance(thing, fm.Actuator):
        value, _ = COMMANDS[type(thing.along)]
        known |= {"command": (value, "s"), "limit": value, "lag": "s"}
    if isinstance(thing, fm.PID):
        value, of = COMMANDS[type(thing.measured)]
        known |= {"target": (of, "s"), "kp": f"{value} 1/{of}", "ki": f"{value} 1/{of} 1/s", "kd": f"{value} s/{of}"}
        known |= {"filter": "s", "tracking": "s"}
    return known[key]


def moved(motion, units, value, argument):
    """A motion whose values and arguments are in other units."""
    v, x = units.size(value), units.size(argument)
    if isinstance(motion, SumOfMotions):
        return SumOfMotions(tuple(moved(part, units, value, argument) for part in motion.parts))
    if isinstance(motion, fm.Polynomial):
        return fm.Polynomial(tuple(c * v / x**k for k, c in enumerate(motion.coefficients)))
    if isinstance(motion, fm.Harmonic):
        return fm.Harmonic(motion.amplitude * v, motion.frequency / x, motion.phase, motion.offset * v)
    if isinstance(motion, fm.Fourier):
        return fm.Fourier(motion.period * x, tuple(y * v for y in motion.values))
    return fm.Table(tuple(a * x for a in motion.x), motion.y, motion.kind, motion.beyond, motion.scale * v)


def converted(thing, units):
    """A law, film, material or the like in other units: a new one."""
    given = {f.name: other(thing, f.name, getattr(thing, f.name), units) for f in dataclasses.fields(thing)}
    return type(thing)(**given)


def other(thing, key, value, units):
    """A field's value in other units."""
    if isinstance(value, Motion):
        return moved(value, units, *dimension(thing, key))
    if (
        value is None
        or isinstance(value, (str, bool, fm.Point, FilmMap))
        or key == "grooves"
        or callable(value)
        or hasattr(value, "points")
    ):
        return value
    if isinstance(value, (int, float, np.number, np.ndarray, tuple, list)):
        unit = dimension(thing, key)
        if isinstance(unit, tuple) and len(unit) == 2:  # a number in place of a motion
            unit = unit[0]
        if isinstance(unit, tuple):
            return tuple(x * units.size(u) for x, u in zip(value, unit, strict=True))
        if unit == "1":
            return value
        scaled = np.asarray(value, float) * units.size(unit)
        return scaled if isinstance(value, np.ndarray) else scaled.tolist() if np.ndim(scaled) == 0 else tuple(scaled.tolist())
    if isinstance(value, dict):  # numbers of a user's function
        known = NUMBERS[thing.function.__name__]
        return {k: x if isinstance(x, Motion) else x * units.size(known[k]) for k, x in value.items()}
    return converted(value, units) if dataclasses.is_dataclass(value) else value


def system_in(system, units):
    """A system in other units."""
    made = copy.deepcopy(system)
    made.gravity = tuple(g * units.size("m/s^2") for g in made.gravity)
    owners = [*made.bodies, made.ground]
    for point in (x for owner in owners for x in owner.points.values() if type(x) is fm.Point):  # points of lines are shares
        object.__setattr__(point, "at", other(point, "at", point.at, units))
    for owner in (*made.bodies, *made.elements):
        for f in dataclasses.fields(owner):
            if f.name not in ("guess", "dimension", "joint", "points"):
                object.__setattr__(owner, f.name, other(owner, f.name, getattr(owner, f.name), units))
        if hasattr(owner, "guess"):  # angles and rates of phasors
            object.__setattr__(owner, "guess", tuple((angle, rate / units.s) for angle, rate in owner.guess))
    return made
