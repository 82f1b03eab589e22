"""Vibrations about equilibria against closed forms, by both solvers."""

import numpy as np
import pytest
from scipy.special import jn_zeros

import flexmbd as fm

from .pendula import pendula

G = 9.81
BEAM = (3.516015268529086, 22.034491565190766, 61.69721440, 120.90191606)  # of a cantilever, squares of the roots of cos k cosh k = -1


@pytest.fixture(params=("dense", "sparse"))
def dense(request):
    return request.param == "dense"


def oscillator(stiffness=8.0, damping=0.4, mass=2.0):
    """A mass on a guide between springs."""
    s = fm.System()
    body = s.body("mass", mass=mass, inertia=1.0, position=(1.0, 0.0))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), body.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), body.centre, stiffness=stiffness, damping=damping, length=1.0))
    return s


def cantilever(elements=16, ratio=1e6):
    """Length, bending stiffness and mass 1; `ratio` is EA L²/EI."""
    s = fm.System()
    section, material = fm.Section(area=1.0, second_moment=1.0 / ratio), fm.Material(E=ratio, nu=0.3, density=1.0)
    beam = s.cable("beam", length=1.0, elements=elements, section=section, material=material)
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), beam.start))
    return s


def test_pendulum_and_double_pendulum(dense):
    found = fm.modes(pendula(0.0, 0.0, 0.0), count=3, dense=dense)
    assert np.allclose(found.squares / G, [2 - np.sqrt(2), 1.0, 2 + np.sqrt(2)], rtol=1e-12)
    assert np.allclose(found.frequencies**2, found.squares) and found.stable


def test_inverted_pendula_are_unstable(dense):
    found = fm.modes(pendula(np.pi, np.pi, np.pi), count=3, dense=dense)
    assert np.allclose(np.sort(found.squares / G), [-2 - np.sqrt(2), -1.0, -2 + np.sqrt(2)], rtol=1e-12)
    assert not found.stable and np.all(np.isnan(found.frequencies)) and found.poles.real.max() > 5.0


def test_shapes_have_unit_modal_mass_and_are_orthogonal(dense):
    system = pendula(0.0, 0.0, 0.0)
    found, e = fm.modes(system, count=3, dense=dense), fm.Equations(system)
    assert np.allclose(found.shapes.T @ (e.mass @ found.shapes), np.eye(3), atol=1e-10)
    assert np.allclose(e.jacobian(e.initial()[0]) @ found.shapes, 0.0, atol=1e-10)
    assert found.coordinates == e.coordinates


def test_a_flat_body_in_space_has_a_singular_mass_matrix(dense):
    s = fm.System(gravity=(0.0, 0.0, -G))
    plate = s.body("plate", mass=2.0, inertia=(0.3, 0.5, 0.8), position=(0.0, 0.0, -0.7))  # 0.3 + 0.5 = 0.8: no extent along z
    s.add(fm.Universal("pin", s.ground.at(0.0, 0.0, 0.0), plate.at(0.0, 0.0, 0.7), axis=(1.0, 0.0, 0.0), axis_b=(0.0, 1.0, 0.0)))
    assert np.linalg.matrix_rank(fm.Equations(s).mass.toarray()) < 12
    found = fm.modes(s, count=2, dense=dense)
    exact = np.sort([np.sqrt(2.0 * G * 0.7 / (inertia + 2.0 * 0.49)) for inertia in (0.3, 0.5)])
    assert np.allclose(found.frequencies, exact, rtol=1e-12)


def test_motion_without_stiffness_has_frequency_zero(dense):
    s = oscillator()
    free = s.body("free", mass=1.0, inertia=0.5, position=(3.0, 0.0))
    s.add(fm.Spring("tie", s.bodies[0].centre, free.centre, stiffness=2.0, length=2.0))
    found = fm.modes(s, count=4, dense=dense)
    exact = np.linalg.eigvalsh([[10.0 / 2.0, -2.0 / np.sqrt(2.0)], [-2.0 / np.sqrt(2.0), 2.0]])
    assert np.allclose(found.squares[:2], 0.0, atol=1e-7) and np.allclose(found.squares[2:], exact, rtol=1e-7)


def test_damped_oscillator():
    found = fm.modes(oscillator(), count=1, damped=True)
    assert found.poles[0] == pytest.approx(-0.1 + 1j * np.sqrt(4.0 - 0.01), rel=1e-12)
    assert found.ratios[0] == pytest.approx(0.05, rel=1e-12) and found.frequencies[0] == pytest.approx(np.sqrt(3.99))
    creeping = fm.modes(oscillator(damping=20.0), count=2, damped=True)
    assert np.allclose(creeping.poles, np.roots([2.0, 20.0, 8.0])[::-1], rtol=1e-12) and np.all(np.isnan(creeping.frequencies))


def chain(links):
    """Hanging rods with springs and dampers between them."""
    s = fm.System(gravity=(0.0, -G))
    before, last = s.ground.at(0.0, 0.0), s.ground
    for k in range(links):
        rod = s.body(f"rod{k}", mass=1.0, inertia=0.1, position=(0.0, -k - 0.5), angle=-np.pi / 2)
        s.add(fm.Revolute(f"pin{k}", before, rod.at(-0.5, 0.0)))
        s.add(fm.TorsionSpring(f"spring{k}", last, rod, stiffness=3.0, damping=0.3, angle=-np.pi / 2 if k == 0 else 0.0))
        before, last = rod.at(0.5, 0.0), rod
    return s


def test_both_solvers_agree():
    system = chain(12)
    for damped in (False, True):
        one, other = (fm.modes(system, count=5, damped=damped, dense=dense) for dense in (True, False))
        assert np.allclose(one.poles, other.poles, rtol=1e-8)
        overlap = np.abs(np.sum(np.conj(one.shapes) * other.shapes, axis=0))
        assert np.allclose(overlap, np.linalg.norm(one.shapes, axis=0) * np.linalg.norm(other.shapes, axis=0), rtol=1e-6)


def test_the_slowest_frequency_vanishes_at_a_limit_point():
    s, length = fm.System(), float(np.hypot(1.0, 0.3))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.0, 0.3))
    for name, x in (("left", -1.0), ("right", 1.0)):
        s.add(fm.Spring(name, s.ground.at(x, 0.0), mass.centre, stiffness=100.0, length=length))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), mass.centre, axis=(0.0, 1.0)))
    s.add(fm.PointForce("load", mass.centre, fy=fm.Polynomial((0.0, -5.0))))
    path = fm.arc_length(s)
    squares = []
    for k in range(len(path)):
        y = path["mass.y"][k]
        stiffness = 200.0 * (1.0 - length / np.hypot(1.0, y) ** 3)
        squares.append(fm.modes(path, state=k, count=1).squares[0])
        assert squares[-1] == pytest.approx(stiffness, abs=1e-9)
    assert np.allclose(np.array(squares)[list(path.limit_points)], 0.0, atol=1e-6)


def test_cantilever(dense):
    found = fm.modes(cantilever(), count=4, dense=dense)
    assert np.allclose(found.frequencies, BEAM, rtol=[3e-7, 1e-5, 5e-5, 2e-4])


def test_cantilever_converges_with_the_fourth_power_of_the_elements():
    errors = np.array([fm.modes(cantilever(n), count=2).frequencies / BEAM[:2] - 1.0 for n in (4, 8, 16)])
    assert np.all(np.abs(np.log2(errors[:-1, 1] / errors[1:, 1]) - 4.0) < 0.3)


def test_gravity_lowers_the_frequency_of_a_column_until_it_buckles():
    """Heavy column: buckles by its own weight at q L³/EI = 7.8373 (Timoshenko and Gere 1961, section 2.12)."""

    def column(weight):
        s = fm.System(gravity=(0.0, -weight))
        section, material = fm.Section(area=1.0, second_moment=1e-6), fm.Material(E=1e6, nu=0.3, density=1.0)
        beam = s.cable("beam", length=1.0, elements=8, section=section, material=material, direction=(0.0, 1.0))
        s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), beam.start))
        return s

    low, high = (fm.modes(column, {"weight": 7.8373 + d}, count=1).squares[0] for d in (-0.02, 0.02))
    assert high < 0.0 < low and low < 0.02 * BEAM[0] ** 2


# ---- seen in a turning frame
def test_oscillator_on_a_turning_guide(dense):
    """Steady at ``k L/(k - m omega²)``, vibrates at ``sqrt(k/m - omega²)``."""
    path = fm.static(oscillator(), spinning=1.0)
    assert path["mass.x"][-1] == pytest.approx(8.0 / 6.0, rel=1e-12)
    assert fm.modes(path, count=1, dense=dense).frequencies[0] == pytest.approx(np.sqrt(3.0), rel=1e-9)
    damped = fm.modes(oscillator(), count=1, spinning=1.0, damped=True, dense=dense)
    assert damped.poles[0] == pytest.approx(-0.1 + 1j * np.sqrt(3.0 - 0.01), rel=1e-9)


def test_foucaults_pendulum():
    """The plane of its swing turns back: in the turning frame it has the frequencies ``sqrt(g/L) ± omega``."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    bob = s.body("bob", mass=1.0, inertia=(1e-9, 1e-9, 1e-9), position=(0.0, 0.0, -1.0))
    s.add(fm.Spherical("pin", s.ground.at(0.0, 0.0, 0.0), bob.at(0.0, 0.0, 1.0)))
    found = fm.modes(s, spinning=(0.0, 0.0, 0.3)).frequencies
    assert np.allclose(found[-2:], np.sqrt(G) + np.array([-0.3, 0.3]), rtol=1e-8)


def test_count_must_be_positive():
    with pytest.raises(fm.ModelError, match="count is 0"):
        fm.modes(oscillator(), count=0)


@pytest.mark.parametrize("rule", ["reduced", "full"])
@pytest.mark.parametrize(
    ("length", "diameter", "elements", "bounds"), [(100.0, 3e-3, 8, (2e-5, 3e-4, 2e-3, 7e-3)), (10.0, 1e-4, 4, (3e-5, 1e-3, 7e-3))]
)
def test_a_hanging_wire_swings_at_its_free_end_too(rule, length, diameter, elements, bounds):
    """Roots of J0(2 w sqrt(L/g)) = 0 of a wire without bending stiffness, which alone raises the fourth of the thick wire by 0.4 %."""
    s = fm.System(gravity=(0.0, -G))
    section, material = fm.Section.circle(0.5 * diameter), fm.Material(2.1e11, 0.3, 7850.0)
    wire = s.cable("wire", length=length, elements=elements, section=section, material=material, direction=(0.0, -1.0), integration=rule)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), wire.start))
    exact = 0.5 * jn_zeros(0, len(bounds)) * np.sqrt(G / length)
    found = fm.modes(s, count=len(bounds)).frequencies
    assert np.all(np.abs(found / exact - 1.0) < bounds), found


@pytest.mark.parametrize(("omega", "flap"), [(1.0, 3.6816487), (3.0, 4.7972785)])
def test_the_smallest_prestress_of_a_turning_blade_counts(omega, flap):
    """Its strain is 5e-9 and less; EI, mass and length 1.  Flap: Wright et al. 1982; lag: the same squared less omega²."""
    s, side = fm.System(gravity=(0.0, 0.0, 0.0)), 1e-4
    section, material = fm.Section.rectangle(side, side), fm.Material(E=12.0 / side**4, nu=0.3, density=1.0 / side**2)
    blade = s.cable("blade", length=1.0, elements=16, section=section, material=material)
    s.add(fm.Clamp("hub", s.ground.at(0.0, 0.0, 0.0), blade.start))
    found = fm.modes(s, spinning=(0.0, 0.0, omega), count=2).frequencies
    assert np.allclose(found, fm.modes(fm.static(s, spinning=(0.0, 0.0, omega)), count=2).frequencies, rtol=1e-9)
    assert np.allclose(found, [np.sqrt(flap**2 - omega**2), flap], rtol=1e-5)


def test_a_free_cable_has_three_motions_without_stiffness_and_one_in_a_turning_frame():
    s, side = fm.System(), 1e-3
    section, material = fm.Section.rectangle(side, side), fm.Material(E=12.0 / side**4, nu=0.3, density=1.0 / side**2)
    s.cable("rod", length=1.0, elements=8, section=section, material=material, position=(-0.5, 0.0))
    found = fm.modes(s, count=5)
    assert np.allclose(found.squares[:3], 0.0, atol=1e-4) and np.allclose(found.frequencies[3:], (22.37328545, 61.67282287), rtol=1e-3)
    assert np.abs(fm.modes(s, count=5, spinning=1.0).poles[0]) < 1e-2
