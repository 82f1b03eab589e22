"""The slider-crank of `slider_crank_clearance` with oil in its joint, and surfaces that are rough.

Film: Reynolds' equation for a bearing as long as it is wide, ruptured where the pressure would fall below the ambient one, as a film map
(docs/theory/film_maps.md) in ``film.npz``.  ``python model.py`` solves it again and writes the map.
"""

from dataclasses import replace
from pathlib import Path

import flexmbd as fm
from flexmbd.lubrication.film_map import build_map, load_map
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.lubrication.reynolds import ReynoldsBearing
from uqmbd.simulators.model import load_file

HERE = Path(__file__).parent
DRY = load_file(HERE.parent / "slider_crank_clearance" / "model.py")
LENGTH = 20e-3  # of the bearing, m
MAP = HERE / "film.npz"
FILM = {"radius": DRY.BEARING, "length": LENGTH, "cavitation": "reynolds", "inlet": "periodic", "cells": (192, 16)}
DENSITY = 0.04  # asperities' number per area times the radius of their tips times the roughness; usual: 0.03 to 0.05
SHARPNESS = 1e-3  # roughness by the radius of the asperities' tips; usual: 1e-4 to 1e-2


def lubricated(clearance=0.035e-3, viscosity=0.012, roughness=1e-6):
    """The slider-crank in service with a lubricated joint; nothing but oil and asperities keeps the journal from the bearing.

    Parameters
    ----------
    clearance : float or ndarray
        Radial clearance of the joint between rod and slider, m.
    viscosity : float or ndarray
        Of the oil, Pa s.
    roughness : float or ndarray
        Standard deviation of the sum of both surfaces' heights, m.
    """
    s = DRY.slider_crank(clearance)
    place = next(k for k, element in enumerate(s.elements) if element.name == "B")
    tip, steel = roughness / SHARPNESS, DRY.STEEL
    s.elements[place] = replace(
        s.elements[place],
        law=None,
        friction=fm.MixedFriction(0.1, tolerance_velocity=1e-2),
        film=MapFilm(viscosity, LENGTH, load_map(MAP, settings=FILM)),
        asperities=fm.GreenwoodTripp(DENSITY / (tip * roughness), tip, roughness, steel.E / (2 * (1 - steel.nu**2)), LENGTH),
    )
    return s


if __name__ == "__main__":
    bearing = ReynoldsBearing(clearance=1e-5, **FILM)  # the map is dimensionless: any clearance
    found = build_map(bearing.impedance, settings=FILM, eps_max=0.98, tolerance=1e-3)
    found.save(MAP)
    print(f"{MAP}: error {found.error:.1e} of the largest force at the same place")
