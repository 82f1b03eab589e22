"""Many round bodies in contact with each other and with walls: forces of all pairs by numpy, momenta, exact collisions, a pile's weight."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbd as fm
from flexmbd.formulation import natural
from flexmbd.running.models import model_of
from flexmbd.stepping import neighbours

from .grains import GRAVITY, HIGH, LOW, MU, box, cloud, forces, gas, outputs, state
from .running import simulate
from .sentences import names, said

FRICTION = fm.Ambrosio(MU, LOW, HIGH)


@pytest.mark.parametrize("d", [2, 3])
def test_accelerations_are_those_of_all_pairs_by_numpy(d):
    """While they move through each other's neighbourhoods for many times the margin of a list."""
    count = 40
    places, radii, *_, width = cloud(d, count)
    run = simulate(lambda: gas(d, count, friction=FRICTION, gravity=GRAVITY), [*outputs(d, count), "c.contacts"],
                   end=0.2, points=9, lanes=1, integrator="rk4", step=1e-4)  # fmt: skip
    x, v, w, a = state(run, d, count)
    assert np.abs(x[-1] - places).max() > 3.0 * radii.max()  # all have new neighbours
    assert run["c.contacts"].max() > 5
    weight = np.zeros(d)
    weight[-1] = -GRAVITY
    for k in range(9):
        wanted = forces(x[k], v[k], w[k], radii, box(d, width, width), True) / (1e3 * radii**d)[:, None] + weight
        np.testing.assert_allclose(a[k], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("d", [2, 3])
def test_momenta_and_energy_stay(d):
    """Elastic, with friction for the momenta, without for the energy."""
    count = 27
    mass = 1e3 * cloud(d, count)[1] ** d
    keys = outputs(d, count)
    for friction in (None, FRICTION):
        run = simulate(lambda f=friction: gas(d, count, fm.Hertz(1e7), f, walls=False), [*keys, "energy.total", "c.contacts:max"],
                       end=0.1, points=6, lanes=1, tolerance=1e-9)  # fmt: skip
        x, v, w, _ = state(run, d, count)
        assert run["c.contacts:max"][0] > 1
        inertia = (0.5 if d == 2 else 0.4) * mass * cloud(d, count)[1] ** 2
        p, size = np.einsum("i,kij->kj", mass, v), np.sum(mass[:, None] * np.abs(v[0]))
        turn = np.cross(x, v).reshape(len(x), count, -1) if d == 3 else (x[..., 0] * v[..., 1] - x[..., 1] * v[..., 0])[..., None]
        moment = np.einsum("i,kij->kj", mass, turn) + np.einsum("i,kij->kj", inertia, w)
        assert np.abs(p - p[0]).max() < 1e-12 * size
        assert np.abs(moment - moment[0]).max() < 1e-11 * size
        energy = run["energy.total"][0]
        assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0] if friction is None else energy[-1] < 0.99 * energy[0]


def pair(law, velocity=1.0, offset=0.0, dimension=2):
    """A grain that comes upon one at rest."""
    s, more = fm.System(gravity=(0.0,) * dimension), (0.0,) * (dimension - 2)
    grains = s.grains(
        "g",
        positions=[(0.0, offset, *more), (0.03, 0.0, *more)],
        radius=0.01,
        mass=0.2,
        velocities=[(velocity, 0.0, *more), (0.0,) * dimension],
    )
    s.add(fm.GranularContact("c", grains, law))
    return s


def test_two_spheres_by_hertz():
    """Velocities change hands; largest force K delta^1.5 with delta = (5 m v²/(8 K))^(2/5), which the mass m/2 that both make needs."""
    K, v, m = 1e7, np.array([0.5, 1.0, 2.0]), 0.2
    run = simulate(lambda v: pair(fm.Hertz(K), v), ["g.1.vx", "g.2.vx", "c.normal:max"], samples={"v": v}, end=0.05, tolerance=1e-10)
    assert np.abs(run["g.1.vx"][:, -1]).max() < 1e-7
    np.testing.assert_allclose(run["g.2.vx"][:, -1], v, rtol=1e-7)
    np.testing.assert_allclose(run["c.normal:max"], K * (5.0 * m * v**2 / (8.0 * K)) ** 0.6, rtol=1e-4)


def test_an_oblique_collision_parts_at_right_angles():
    """Without friction along the line of centres, sine of its angle 0.6 in the limit of hard bodies."""
    K = np.array([1e9, 1e11, 1e13])
    run = simulate(
        lambda K: pair(fm.Hertz(K), 1.0, 0.012), ["g.1.vx", "g.1.vy", "g.2.vx", "g.2.vy"], samples={"K": K}, end=0.06, tolerance=1e-10
    )
    found = np.array([run[key][:, -1] for key in ("g.1.vx", "g.1.vy", "g.2.vx", "g.2.vy")])
    error = np.abs(found - np.array([0.36, 0.48, 0.64, -0.48])[:, None]).max(axis=0)
    assert error[2] < 5e-4
    assert np.all(error[1:] < 0.25 * error[:-1])  # as the penetration, K^-0.4, a factor of 6.3


def test_a_break_of_two():
    """Two balls that touch, struck at once: v/5 back, and 2 sqrt(3)/5 v along both lines of centres, by momentum, energy and symmetry."""
    s, half = fm.System(gravity=(0.0, 0.0)), 0.01
    grains = s.grains("g", positions=[(-0.005, 0.0), (half * np.sqrt(3.0), half), (half * np.sqrt(3.0), -half)], radius=half, mass=0.2,
                      velocities=[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0)])  # fmt: skip
    s.add(fm.GranularContact("c", grains, fm.Hertz(1e11)))
    run = simulate(lambda: s, [f"g.{k}.v{a}" for k in (1, 2, 3) for a in "xy"], end=0.02, lanes=1, tolerance=1e-10)
    found = np.array([run[f"g.{k}.v{a}"][0, -1] for k in (1, 2, 3) for a in "xy"])
    np.testing.assert_allclose(found, [-0.2, 0.0, 0.6, 0.2 * np.sqrt(3.0), 0.6, -0.2 * np.sqrt(3.0)], rtol=0, atol=1e-3)


def cradle(count, gap):
    """A ball that comes upon a row of others."""
    s = fm.System(gravity=(0.0, 0.0))
    places = [(-0.025, 0.0)] + [((0.02 + gap) * k, 0.0) for k in range(count - 1)]
    grains = s.grains("g", positions=places, radius=0.01, mass=0.1, velocities=[(1.0, 0.0)] + [(0.0, 0.0)] * (count - 1))
    s.add(fm.GranularContact("c", grains, fm.Hertz(1e9)))
    return s


def test_newtons_cradle_with_gaps_is_a_row_of_single_collisions():
    run = simulate(lambda: cradle(5, 1e-3), [f"g.{k}.vx" for k in range(1, 6)], end=0.02, lanes=1, tolerance=1e-12)
    np.testing.assert_allclose([run[f"g.{k}.vx"][0, -1] for k in range(1, 6)], [0.0, 0.0, 0.0, 0.0, 1.0], rtol=0, atol=1e-8)


def test_newtons_cradle_of_balls_that_touch_is_a_wave():
    """The first ball comes back: velocities of three are -0.07, 0.08 and 0.99 (Herrmann and Seitz 1982, Am. J. Phys. 50, 977-981)."""

    def row(_, y):
        depth = np.maximum(-np.diff(y[:5]), 0.0) ** 1.5
        return [*y[5:], *(1e9 / 0.1 * (np.append(0.0, depth) - np.append(depth, 0.0)))]

    of_three = simulate(lambda: cradle(3, 0.0), [f"g.{k}.vx" for k in (1, 2, 3)], end=0.01, lanes=1, tolerance=1e-10)
    np.testing.assert_allclose([of_three[f"g.{k}.vx"][0, -1] for k in (1, 2, 3)], [-0.07, 0.08, 0.99], rtol=0, atol=5e-3)
    of_five = simulate(lambda: cradle(5, 0.0), [f"g.{k}.vx" for k in range(1, 6)], end=0.01, lanes=1, tolerance=1e-10)
    wanted = solve_ivp(row, (0.0, 5e-3), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-15).y[5:, -1]
    np.testing.assert_allclose([of_five[f"g.{k}.vx"][0, -1] for k in range(1, 6)], wanted, rtol=0, atol=1e-7)


@pytest.mark.parametrize("d", [2, 3])
def test_a_floor_carries_the_weight_of_a_pile(d):
    """Without friction, so that all comes to rest."""
    count, mass = 14, 0.05
    s = fm.System(gravity=(0.0,) * (d - 1) + (-GRAVITY,))
    places, *_, width = cloud(d, count)
    grains = s.grains("g", positions=places, radius=0.012, mass=mass)
    s.add(fm.GranularContact("c", grains, fm.KelvinVoigt(1e4, 8.0), walls=box(d, width, 1.0)[:-1]))
    run = simulate(lambda: s, [f"c.{2 * d - 1}.normal"], end=4.0, lanes=1, integrator="rk4", step=2e-4)
    assert run[f"c.{2 * d - 1}.normal"][0, -1] == pytest.approx(count * mass * GRAVITY, rel=1e-4)


def one_by_one(d, law, count=5):
    """The same as `together`, of rigid bodies with a contact for each pair."""
    places, radii, velocities, rates, _ = cloud(d, count)
    s = fm.System(gravity=(0.0,) * (d - 1) + (-GRAVITY,))
    turn = "rate" if d == 2 else "angular_velocity"
    solid = [(0.5 * r * r, 0.4 * r * r)[d - 2] * 1e3 * r**d for r in radii]
    bodies = []
    for k in range(count):
        inertia = solid[k] if d == 2 else (solid[k],) * 3
        moving = {"velocity": tuple(velocities[k]), turn: rates[k] if d == 2 else tuple(rates[k])}
        bodies.append(s.body(f"b{k}", mass=1e3 * radii[k] ** d, inertia=inertia, position=tuple(places[k]), **moving))
    ground = s.ground.at(*(0.0,) * d)
    plane, disc = (fm.DiscPlane, fm.DiscDisc) if d == 2 else (fm.SpherePlane, fm.SphereSphere)
    for i, a in enumerate(bodies):
        s.add(plane(f"floor{i}", a.centre, ground, radii[i], law, FRICTION, normal=(0.0,) * (d - 1) + (1.0,)))
        for j in range(i + 1, count):
            s.add(disc(f"c{i}_{j}", a.centre, bodies[j].centre, radii[i], radii[j], law, FRICTION))
    return s


def together(d, law, count=5):
    places, radii, velocities, rates, _ = cloud(d, count)
    s = fm.System(gravity=(0.0,) * (d - 1) + (-GRAVITY,))
    grains = s.grains("g", positions=places, radius=list(radii), mass=list(1e3 * radii**d), velocities=velocities, rates=rates)
    s.add(fm.GranularContact("c", grains, law, FRICTION, walls=[((0.0,) * d, (0.0,) * (d - 1) + (1.0,))]))
    return s


@pytest.mark.parametrize("d", [2, 3])
def test_grains_move_as_bodies_with_a_contact_for_each_pair(d):
    law, axes, settings = fm.Hertz(1e6), "xyz"[:d], {"end": 0.15, "points": 7, "lanes": 1, "tolerance": 1e-10}
    one = simulate(lambda: one_by_one(d, law), [f"b{k}.{a}" for k in range(5) for a in axes], **settings)
    all_of_them = simulate(lambda: together(d, law), [f"g.{k + 1}.{a}" for k in range(5) for a in axes] + ["c.1.contacts:max"], **settings)
    assert all_of_them["c.1.contacts:max"][0] >= 1
    for k in range(5):
        for a in axes:
            np.testing.assert_allclose(all_of_them[f"g.{k + 1}.{a}"], one[f"b{k}.{a}"], rtol=0, atol=2e-6)


def test_pairs_that_are_searched_are_to_the_bit_those_that_are_written_out(monkeypatch):
    def places():
        return simulate(lambda: together(2, fm.Hertz(1e6)), outputs(2, 5), end=0.1, points=5, integrator="rk4", step=1e-4, lanes=4)

    searched = places()
    monkeypatch.setattr(natural, "FEW", 5)
    written = places()
    assert all(np.array_equal(searched[key], written[key]) for key in outputs(2, 5))


def test_a_run_is_to_the_bit_the_same_in_any_company():
    """Lists are made for all lanes together; what is in one for another lane adds nothing."""

    def drop(K, speed):
        s = fm.System(gravity=(0.0, -GRAVITY))
        places, radii, *_, width = cloud(2, 20)
        velocities = [(speed * (-1.0) ** k, 0.0) for k in range(20)]
        grains = s.grains("g", positions=places, radius=list(radii), mass=0.1, velocities=velocities)
        s.add(fm.GranularContact("c", grains, fm.HuntCrossley(K, restitution=0.8), FRICTION, box(2, width, width), impact_velocity=0.5))
        return s

    K, speed, keys = np.linspace(1e5, 2e5, 6), np.linspace(0.2, 1.0, 6), [*outputs(2, 20), "energy.balance"]
    company = simulate(drop, keys, samples={"K": K, "speed": speed}, end=0.15, points=4, tolerance=1e-6)
    others = simulate(drop, keys, samples={"K": K[::-1], "speed": speed[::-1]}, end=0.15, points=4, tolerance=1e-6)
    alone = simulate(drop, keys, samples={"K": K[[2]], "speed": speed[[2]]}, end=0.15, points=4, tolerance=1e-6)
    for key in keys:
        assert np.array_equal(company[key][2], alone[key][0])
        assert np.array_equal(company[key][2], others[key][3])


def test_a_list_without_room_is_handed_out_in_parts(monkeypatch):
    def places():
        return simulate(lambda: gas(2, 40, gravity=GRAVITY), outputs(2, 40), end=0.1, points=3, integrator="rk4", step=1e-4, lanes=1)

    usual = places()
    monkeypatch.setattr(neighbours, "ROOM", 0)
    small = places()
    assert all(np.array_equal(usual[key], small[key]) for key in outputs(2, 40))


def test_code_does_not_grow_with_the_number_of_grains():
    def functions(count):
        settings = fm.Settings(integrator="rk4", step=1e-4, tolerance=1e-8)
        model = model_of(gas(2, count, friction=FRICTION), ["c.normal", "energy.total"], settings)
        return len(model.code._text), len(model.signals.code._text)

    (few, of_few), (many, of_many) = functions(20), functions(700)
    assert many < 1.2 * few
    assert of_many < 1.1 * of_few


def test_energy_that_contacts_store_at_the_start_is_in_the_book():
    """Grains that begin pressed together: what is stored becomes motion."""
    s = fm.System(gravity=(0.0, 0.0))
    grains = s.grains("g", positions=[(0.019 * k, 0.0) for k in range(6)], radius=0.01, mass=0.1)
    s.add(fm.GranularContact("c", grains, fm.Hertz(1e6)))
    run = simulate(lambda: s, ["energy.kinetic", "energy.dissipated", "c.stored"], end=0.05, lanes=1, tolerance=1e-9)
    assert run["c.stored"][0, 0] == pytest.approx(5 * 0.4 * 1e6 * 1e-3**2.5, rel=1e-12)
    assert run["energy.kinetic"][0, -1] == pytest.approx(run["c.stored"][0, 0], rel=1e-6)
    assert np.abs(run["energy.dissipated"]).max() < 1e-6 * run["c.stored"][0, 0]


def test_mistakes_are_said():
    s = fm.System(gravity=(0.0, 0.0))
    grains = s.grains("h", positions=[(0.0, 0.0), (1.0, 0.0)], radius=0.1, mass=1.0)

    def contact(*laws, of=grains, **more):
        return lambda: fm.GranularContact("c", of, *laws, **more)

    names(said(lambda: s.grains("g", positions=[(0.0, 0.0)] * 3, radius=[0.1, 0.2], mass=1.0)), "'g'", "radius", "3 grains")
    names(said(lambda: s.grains("g", positions=[(0.0, 0.0, 0.0)], radius=0.1, mass=1.0)), "'g'", "positions", "2 numbers")
    names(said(lambda: s.grains("g", positions=[], radius=0.1, mass=1.0)), "'g'", "positions")
    names(said(contact(fm.HuntCrossley(1e5, restitution=0.5))), "'c'", "hunt_crossley", "impact_velocity")
    names(said(contact(fm.Hertz(1e5), fm.LuGre(0.3, 0.2, 1e-3, 1e5))), "'c'", "lugre", "memory")
    names(said(contact(fm.Hertz(1e5), walls=[((0.0, 0.0, 0.0), (0.0, 1.0))])), "'c'", "walls[0]", "3 coordinates")
    names(said(contact(fm.Hertz(1e5), walls=[3.0])), "'c'", "walls[0]", "(point, normal)")
    names(said(contact(fm.Impenetrable(0.5))), "'c'", "law is")
    names(said(contact(fm.Hertz(1e5), of=s.ground)), "'c'", "grains is")
