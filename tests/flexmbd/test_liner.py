"""Elastic liners against closed forms: Lamé's and Michell's thick ring, Bentall and Johnson's bonded layer, Hooke's column."""

import numpy as np
import pytest

from flexmbd import ModelError
from flexmbd.lubrication.elastic import LINERS, RingLiner, WinklerLiner
from flexmbd.lubrication.reynolds import Grid

E, NU, A, T = 1e9, 0.3, 0.02, 0.01
G, KAPPA = 0.5 * E / (1 + NU), 3 - 4 * NU


def michell(k, outer=A + T):
    """Radial displacement at r = A by the pressure cos(k t) in plane strain, held at `outer`, by Kolosov's two potentials.

    2 G (u_r + i u_t) = e^(-it) (kappa phi - z conj(phi') - conj(psi)),
    s_rr - i s_rt = phi' + conj(phi') - e^(2it) (conj(z) phi'' + psi').
    For k = 1 the potentials have logarithms: the housing carries a force.
    """
    t = 0.37

    def power(c, n):  # of c z^n: the function and two derivatives
        return lambda z: np.array([c * z**n, c * n * z ** (n - 1), c * n * (n - 1) * z ** (n - 2)])

    def log(c):
        return lambda z: c * np.array([np.log(z), 1 / z, -1 / z**2])

    none = power(0.0, 0)
    pairs = [(power(1.0, k + 1.0), none), (log(1.0), log(-KAPPA)) if k == 1 else (power(1.0, 1.0 - k), none),
             (none, power(1.0, k - 1.0)), (none, power(1.0, -k - 1.0))]  # fmt: skip
    if k == 0:  # A z and D/z with imaginary parts nothing
        pairs = [pairs[0], pairs[3]]

    def columns(r):  # the angular parts only have to be zero
        z, out = r * np.exp(1j * t), []
        for phi, psi in pairs:
            (f, f1, f2), (g, g1, _) = phi(z), psi(z)
            u = np.exp(-1j * t) * (KAPPA * f - z * np.conj(f1) - np.conj(g)) / (2 * G)
            s = f1 + np.conj(f1) - np.exp(2j * t) * (np.conj(z) * f2 + g1)
            out.append([u.real / np.cos(k * t), s.real / np.cos(k * t), u.imag, -s.imag])
        return np.array(out).T

    held, loaded = columns(outer), columns(A)
    if k == 0:
        return loaded[0] @ np.linalg.solve([held[0], loaded[1]], [0, -1])
    return loaded[0] @ np.linalg.solve([held[0], held[2], loaded[1], loaded[3]], [0, 0, -1, 0])


def layer(wave):
    """Deflection by pressure of a flat bonded layer of thickness T under cos(wave x), plane strain (Bentall and Johnson 1968)."""
    s = wave * T
    top = (3 - 4 * NU) * np.sinh(2 * s) - 2 * s
    return (1 - NU) / (G * wave) * top / ((3 - 4 * NU) * np.cosh(2 * s) + 2 * s * s + 5 - 12 * NU + 8 * NU**2)


def test_reference_itself_is_lames_cylinder_and_bentalls_layer():
    b = A + T
    lame = np.linalg.solve([[b, 1 / b], [E / ((1 + NU) * (1 - 2 * NU)), -2 * G / A**2]], [0, -1]) @ [A, 1 / A]
    assert michell(0) == pytest.approx(lame, rel=1e-12)
    assert layer(1e-3 / T) == pytest.approx(WinklerLiner(E, NU, T).per_pressure, rel=1e-5)


@pytest.mark.parametrize("k", range(4))
def test_ring_in_plane_strain_is_of_fourth_order(k):
    grid, reference = Grid(8, 1, 2 * np.pi * A, 1.0), michell(k)
    errors = [RingLiner(E, NU, T, layers=n, ends="plane_strain").compliance(grid, A).blocks[k, 0, 0] / reference - 1 for n in (4, 8, 16)]
    assert np.all(np.abs(-np.diff(np.log2(np.abs(errors))) - 4.0) < 0.2), errors
    assert abs(errors[-1]) < 1e-6


def test_waves_around_and_along_a_wide_ring_are_those_of_a_flat_layer():
    radius = 1e4 * T
    around = RingLiner(E, NU, T, layers=16, ends="plane_strain").compliance(Grid(8, 1, 2 * np.pi * radius, 1.0), radius)
    assert around.blocks[0, 0, 0] == pytest.approx(WinklerLiner(E, NU, T).per_pressure, rel=2e-4)
    length, errors = 4 * T, []  # ends held: a whole wave over the length goes on beyond them
    for m in (4, 8, 16):
        grid = Grid(4, m, 2 * np.pi * radius, length)
        wave = np.cos(2 * np.pi / length * grid.z)
        errors.append(RingLiner(E, NU, T, ends="held").compliance(grid, radius).blocks[0] @ wave / wave / layer(2 * np.pi / length) - 1)
    assert np.ptp(errors[-1]) < 1e-10
    slopes = -np.diff(np.log2(np.abs([e[0] for e in errors])))
    assert np.all(np.abs(slopes - 2.0) < 0.2), errors


def test_column_is_hookes_and_the_limit_of_a_thin_ring():
    column = WinklerLiner(E, NU, T)
    # p = -s_r with e_t = e_z = 0
    strain = np.linalg.solve([[1, -NU, -NU], [-NU, 1, -NU], [-NU, -NU, 1]] / np.array(E), np.array([-1.0, 0, 0]))
    assert column.per_pressure == pytest.approx(T / (-strain[0]), rel=1e-12)
    gaps = []
    for thin in (0.02, 0.01, 0.005):
        ring = RingLiner(E, NU, thin * A, layers=2, ends="plane_strain").compliance(Grid(16, 1, 2 * np.pi * A, 1.0), A)
        gaps.append(np.abs(ring.blocks[:4, 0, 0] / WinklerLiner(E, NU, thin * A).per_pressure - 1).max())
    assert np.all(np.abs(-np.diff(np.log2(gaps)) - 1.0) < 0.2) and gaps[-1] < 5e-3


@pytest.mark.parametrize("ends", ["free", "held", "plane_strain"])
def test_compliance_is_symmetric_positive_and_one_with_its_matrix(ends):
    grid = Grid(16, 4, 2 * np.pi * A, A)
    compliance = RingLiner(E, 0.45, 0.1 * A, layers=2, ends=ends).compliance(grid, A)
    matrix = compliance.matrix
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12 * matrix.max())
    assert np.linalg.eigvalsh(matrix).min() > 0.0
    pressure = np.random.default_rng(3).uniform(0, 1e6, grid.shape)
    np.testing.assert_allclose(matrix @ pressure.ravel(), compliance.deflection(pressure).ravel(), rtol=1e-12)
    local = WinklerLiner(E, 0.45, 0.1 * A).compliance(grid, A)
    np.testing.assert_allclose(local.matrix @ pressure.ravel(), local.deflection(pressure).ravel(), rtol=1e-14)


def test_stiffness_and_mass_of_modes():
    """Uniform harmonics of a ring with held ends are Michell's; its mass at k = 0 that of Lamé's field; columns as matrices of springs."""
    length, rho, b = 0.04, 1200.0, A + T
    modes = RingLiner(E, NU, T, rho, layers=8, ends="plane_strain").modes(A, length, (0, 1, 2), (np.ones_like,))
    assert modes.harmonic.tolist() == [0, 1, 1, 2, 2] and modes.sine.tolist() == [False, False, True, False, True]
    areas = np.pi * A * length * np.array([2, 1, 1, 1, 1])
    np.testing.assert_allclose(np.diag(modes.stiffness), areas / [michell(k) for k in modes.harmonic], rtol=1e-5)
    r = np.linspace(A, b, 20001)
    field = (r / b - b / r) / (A / b - b / A)
    assert modes.mass[0, 0] == pytest.approx(2 * np.pi * rho * length * np.trapezoid(field**2 * r, r), rel=1e-5)

    shapes = (np.ones_like, lambda z: (2 * z / length) ** 2)
    spring, thin = WinklerLiner(E, NU, 1e-5, rho), RingLiner(E, NU, 1e-5, rho, layers=2, ends="held")
    one, other = (liner.modes(A, length, (0, 2), shapes) for liner in (spring, thin))
    for key in ("stiffness", "mass"):
        x, y = getattr(one, key), getattr(other, key)
        np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-12 * y.max())
    theta, z = (np.arange(64) + 0.5) * np.pi / 32, (np.arange(400) + 0.5) * length / 800
    cell = 2 * A * np.pi / 32 * length / 800
    values = one.values(theta, z)
    np.testing.assert_allclose(np.einsum("anm,bnm->ab", values, values) * cell / spring.per_pressure, one.stiffness, rtol=1e-4,
                               atol=1e-9 * one.stiffness.max())  # fmt: skip


@pytest.mark.parametrize(("make", "words"), [
    (lambda liner: liner(-1.0, NU, T), "modulus is -1; it must be greater than zero"),
    (lambda liner: liner(E, 0.5, T), "poisson is 0.5; it must be at least 0 and below 0.5"),
    (lambda liner: liner(E, NU, 0.0), "thickness is 0; it must be greater than zero"),
    (lambda liner: liner(E, NU, T, -1.0), "density is -1; it must be at least 0"),
])  # fmt: skip
@pytest.mark.parametrize("liner", LINERS, ids=lambda x: x.name)
def test_numbers_that_no_liner_has(liner, make, words):
    with pytest.raises(ModelError) as told:
        make(liner)
    assert str(told.value) == f"{liner.name} liner: {words}"


def test_what_a_ring_is_not():
    with pytest.raises(ModelError, match="ring liner: ends is 'glued'; it must be one of 'free', 'held', 'plane_strain'"):
        RingLiner(E, NU, T, ends="glued")
    with pytest.raises(ModelError, match="ring liner: layers is 0; give a whole number of elements, at least 1"):
        RingLiner(E, NU, T, layers=0)
    with pytest.raises(ModelError, match="harmonics close around the bearing; use inlet 'periodic', or a WinklerLiner"):
        RingLiner(E, NU, T).compliance(Grid(8, 2, 1.0, 1.0, ring=False), A)
