"""Duffing's oscillator with two wells, driven once in 2 pi s, for control in the form of Pyragas (Phys. Lett. A 170, 1992, 421)."""

import numpy as np

import uqmbd as uq


def rates(t, x, v, damping, amplitude, force):
    """Of place and velocity; the control is a force."""
    return v, x - x**3 - damping * v + amplitude * np.cos(t) + force


def duffing():
    """The map over a period of the drive."""
    return uq.PeriodMap(flow=uq.Flow(function=rates, names=("x", "v")), over=2.0 * np.pi, steps=60)
