"""Finite elements of an elastic ring by harmonics of the angle: quadratic in r and in z, products of lines of elements.

With ``u_r = U(r, z) cos k t, u_t = V sin k t, u_z = W cos k t`` the strains are (times cos, or sin for the last two)

    U_r,  (U + k V)/r,  W_z,  U_z + W_r,  V_r - V/r - k U/r,  V_z - k W/r

so stiffness is a polynomial of second degree in k (Wilson, *AIAA J.* 3, 1965, 2269-2274).
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class LineBasis(NamedTuple):
    """Basis on a line of g Gauss points with f functions; the last function is 1 at the far end, the first at the near one."""

    points: np.ndarray  # (g,)
    weights: np.ndarray  # (g,)
    values: sp.csr_array  # (g, f)
    slopes: sp.csr_array  # (g, f)
    nodes: np.ndarray  # (f,) where the functions are 1


class HalfRing(NamedTuple):
    """Matrices of half a ring over the functions of U, then V, then W, each r first and then z; angle's factor left out."""

    across: LineBasis  # along z
    stiffness: tuple  # of three (f, f): ``K = K0 + k K1 + k^2 K2``, N/m
    mass: sp.csr_array  # (f, f), kg
    surface: np.ndarray  # (nz,) indices of U at the inner surface
    free: np.ndarray  # (f,) bool: not held


def quadratic_line(edges):
    """Quadratic elements between `edges` (m), three Gauss points each."""
    x, w = np.polynomial.legendre.leggauss(3)
    half = 0.5 * np.diff(edges)
    middle = 0.5 * (edges[1:] + edges[:-1])
    values = np.stack((0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)), axis=1)
    slopes = np.stack((x - 0.5, -2.0 * x, x + 0.5), axis=1)
    count = len(half)
    row = np.repeat(np.arange(3 * count), 3)
    column = (2 * np.arange(count)[:, None, None] + np.arange(3)[None, None, :] + np.zeros((1, 3, 1), int)).ravel()
    shape = (3 * count, 2 * count + 1)
    value = sp.csr_array((np.tile(values.ravel(), count), (row, column)), shape=shape)
    slope = sp.csr_array(((slopes[None] / half[:, None, None]).ravel(), (row, column)), shape=shape)
    nodes = np.empty(2 * count + 1)
    nodes[::2], nodes[1::2] = edges, middle
    return LineBasis((middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel(), value, slope, nodes)


def constant_line():
    """One function that is 1 everywhere, over a unit of length: plane strain."""
    return LineBasis(np.zeros(1), np.ones(1), sp.csr_array(np.ones((1, 1))), sp.csr_array((1, 1)), np.zeros(1))


def ring_matrices(modulus, poisson, density, across, radial, held_ends):
    """`Ring` of an isotropic solid.

    Parameters
    ----------
    modulus, poisson, density : float
        Pa, -, kg/m^3.
    across, radial : Line
        Along z from the plane of symmetry, and along r, both in m. Held at the largest r.
    held_ends : bool
        True: u_z = 0 at the end (and everywhere in plane strain).
    """
    r, plane = radial.points, across.nodes.size == 1
    over_r = sp.diags_array(1.0 / r) @ radial.values
    value, slope = (sp.kron(a, across.values, "csr") for a in (radial.values, radial.slopes))
    around, axial = sp.kron(over_r, across.values, "csr"), sp.kron(radial.values, across.slopes, "csr")
    none = sp.csr_array(value.shape)
    steady = [[slope, none, none], [around, none, none], [none, none, axial], [axial, none, slope],
              [none, slope - around, none], [none, axial, none]]  # fmt: skip
    turning = [[none] * 3, [none, around, none], [none] * 3, [none] * 3, [-around, none, none], [none, none, -around]]
    e0, e1 = sp.block_array(steady, format="csr"), sp.block_array(turning, format="csr")
    shear = 0.5 * modulus / (1.0 + poisson)
    lame = 2.0 * shear * poisson / (1.0 - 2.0 * poisson)
    law = shear * np.diag([2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    law[:3, :3] += lame
    volume = sp.diags_array(np.kron(radial.weights * r, across.weights))
    weights = sp.kron(law, volume, "csr")
    mixed = e0.T @ weights @ e1
    stiffness = (e0.T @ weights @ e0, mixed + mixed.T, e1.T @ weights @ e1)
    mass = density * sp.kron(np.eye(3), value.T @ volume @ value, "csr")
    nr, nz = radial.nodes.size, across.nodes.size
    free = np.ones((3, nr, nz), bool)
    free[:, -1] = False
    free[2, :, 0] = False
    if held_ends or plane:
        free[2, :, -1] = False
    return HalfRing(across, stiffness, mass, np.arange(nz), free.ravel())


def harmonic(ring, k):
    """(K, M, free): stiffness and mass of harmonic k, and what is free in it (no turning at k = 0)."""
    free = ring.free.copy()
    if k == 0:
        third = len(free) // 3
        free[third : 2 * third] = False
    k0, k1, k2 = ring.stiffness
    return k0 + k * k1 + k * k * k2, ring.mass, free
