"""Constraint rows that depend on others: named, and with ``constraints = "augmented"`` kept; motion through singular positions."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmbd as fm

from .running import column, simulate


def n_four_bar(windows=2):
    """IFToMM benchmark A02: uniform links of 1 kg and 1 m; at rest but for 1 m/s of the upper ends (REFERENCES.md, section 1)."""
    s = fm.System(gravity=(0.0, -9.81))
    options = {"mass": 1.0, "inertia": 1 / 12, "points": {"A": (-0.5, 0.0), "B": (0.5, 0.0)}}
    cranks = []
    for k in range(windows + 1):
        crank = s.body(f"crank{k}", position=(k, 0.5), angle=np.pi / 2, velocity=(0.5, 0.0), rate=-1.0, **options)
        s.add(fm.Revolute(f"A{k}", s.ground.at(k, 0.0), crank["A"]))
        cranks.append(crank)
    for k in range(windows):
        coupler = s.body(f"coupler{k}", position=(k + 0.5, 1.0), velocity=(1.0, 0.0), **options)
        s.add(fm.Revolute(f"L{k}", cranks[k]["B"], coupler["A"]))
        s.add(fm.Revolute(f"R{k}", coupler["B"], cranks[k + 1]["B"]))
    return s


def test_four_bars_pass_through_singular_positions():
    """Ten passages in 10 s, in each of which two more motions are possible."""
    outputs = ["crank0.angle", "crank2.angle", "energy.total", "energy.kinetic"]
    got = column(simulate(n_four_bar, outputs, end=10.0, points=101, lanes=1, constraints="augmented"))
    exact = np.array([3.3378708031051834, 6.341033361312233, 16.65435348664972, 31.75059718698085])
    for crank in ("crank0", "crank2"):
        turned = np.pi / 2 - got[f"{crank}.angle"][[10, 20, 50, 100]]
        np.testing.assert_allclose(turned, exact, rtol=0, atol=2e-5)
    assert np.ptp(got["energy.total"]) < 1e-6 * got["energy.kinetic"].max()


SCHEMES = {"rk4": 2e-3, "baumgarte": 2e-3, "generalized_alpha": 0.0, "ggl": 0.0, "hht": 0.0, "energy_momentum": 2e-3}


MORE = ("baumgarte", "ggl", "hht", "energy_momentum")  # of the same two kinds: explicit with fixed steps, implicit


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [pytest.param(s, marks=pytest.mark.slow) if s in MORE else s for s in SCHEMES])
def test_singular_positions_are_passed_rightly_or_the_run_ends_with_a_sentence(integrator):
    """Five passages of one window in 3 s; upright at angle zero its one degree of freedom obeys 5/3 a'' = 2 g sin a."""
    step, outputs = SCHEMES[integrator], ["crank0.angle", "crank1.angle", "energy.total", "energy.kinetic"]
    options = {"integrator": integrator, "step": step, "constraints": "augmented", "tolerance": 1e-8 if step else 5e-7}
    run = fm.run(lambda: n_four_bar(1), {}, end=3.0, points=31, outputs=outputs, settings={"lanes": 1, **options})
    exact = solve_ivp(lambda _, y: (y[1], 1.2 * 9.81 * np.sin(y[0])), (0.0, 3.0), [0.0, 1.0], t_eval=run.time, rtol=1e-11, atol=1e-11).y[0]
    if run.status[0] == 0:
        for crank in ("crank0", "crank1"):
            np.testing.assert_allclose(np.pi / 2 - run.outputs[f"{crank}.angle"][0], exact, rtol=0, atol=2e-3)
        assert np.ptp(run.outputs["energy.total"][0]) < 1e-3 * run.outputs["energy.kinetic"].max()
    else:
        assert integrator not in ("rk4", "baumgarte") and "dormand_prince and rosenbrock do" in run.message[0]


# ---- a parallelogram with one crank too many
def three_cranks():
    """One coupler on three parallel cranks, all uniform links of 1 kg and 1 m, upright, upper ends at 1 m/s."""
    s = fm.System(gravity=(0.0, -9.81))
    options = {"mass": 1.0, "inertia": 1 / 12}
    points = {f"P{k}": (k - 1.0, 0.0) for k in range(3)}
    coupler = s.body("coupler", position=(1.0, 1.0), velocity=(1.0, 0.0), points=points, **options)
    points = {"A": (0.0, -0.5), "B": (0.0, 0.5)}
    for k in range(3):
        crank = s.body(f"crank{k}", position=(k, 0.5), velocity=(0.5, 0.0), rate=-1.0, points=points, **options)
        s.add(fm.Revolute(f"A{k}", s.ground.at(k, 0.0), crank["A"]))
        s.add(fm.Revolute(f"B{k}", crank["B"], coupler[f"P{k}"]))
    return s


@pytest.mark.parametrize(
    "integrator, tolerance, share",
    [("dormand_prince", 1e-10, 1e-9), pytest.param("generalized_alpha", 1e-7, 1e-5, marks=pytest.mark.slow)],
)
def test_one_crank_too_many(integrator, tolerance, share):
    forces = [f"A{k}.f{axis}" for axis in "xy" for k in range(3)]
    outputs = ["crank0.angle", "crank0.rate", "crank0.alpha", "coupler.ay", *forces]
    options = {"lanes": 1, "integrator": integrator, "tolerance": tolerance}
    run = simulate(three_cranks, outputs, end=0.65, points=14, constraints="augmented", **options)
    got = column(run)
    assert run.attributes["constraints.dependent"] == "1 of the rows A0.y, B0.y, A1.y, B1.y, A2.y, B2.y"

    def rate(_, state):
        return state[1], 2.5 * 9.81 * np.sin(state[0]) / 2.0  # three cranks and the coupler, upright at zero

    exact = solve_ivp(rate, (0.0, 0.65), [0.0, 1.0], t_eval=run.time, method="DOP853", rtol=1e-12, atol=1e-12).y
    np.testing.assert_allclose(-got["crank0.angle"], exact[0], rtol=0, atol=share)
    np.testing.assert_allclose(-got["crank0.rate"], exact[1], rtol=0, atol=10 * share)
    # reactions: their sum is what the motion takes, and the outer cranks share alike
    lift = 4 * 9.81 + got["coupler.ay"] + 3 * 0.5 * got["coupler.ay"]
    np.testing.assert_allclose(sum(got[f"A{k}.fy"] for k in range(3)), lift, rtol=0, atol=1e3 * share)
    np.testing.assert_allclose(got["A0.fy"], got["A2.fy"], rtol=0, atol=1e3 * share)


@pytest.mark.parametrize("start", ["as_given", "centred"])
def test_play_in_one_crank_frees_the_coupler(start):
    """Only an ideal joint in place of the play would be one row too many; both starts are the same here."""

    def build():
        s = three_cranks()
        s.elements.pop()  # the last crank's upper joint
        coupler, crank = s.bodies[0], s.bodies[-1]
        law = fm.LankaraniNikravesh(stiffness=1e9, restitution=0.8)
        s.add(fm.ClearanceRevolute("play", crank["B"], coupler["P2"], 1e-3, law, bearing_radius=0.01, start=start))
        return s

    got = column(simulate(build, ["crank0.angle", "crank2.angle", "play.eccentricity"], end=0.02, points=3, lanes=1))
    assert got["play.eccentricity"][0] < 1e-12 and got["play.eccentricity"][-1] > 0.0
    np.testing.assert_allclose(got["crank0.angle"][-1], -0.02, atol=2e-4)
    np.testing.assert_allclose(got["crank2.angle"], got["crank0.angle"], rtol=0, atol=2e-4)


# ---- Bricard's mechanism (IFToMM benchmark A04), data as in Exudyn's bricardMechanism.py: rods along six edges of a unit cube,
# 1 m, 1 kg, square section of 0.1 m; each axis at right angles to both of its rods; gravity 9.81 m/s² along -y; at rest
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
AXES = np.roll(np.eye(3), -1, axis=0)  # y, z, x, y, z, x
SLIM, WIDE = 0.02 / 12, 1.01 / 12  # kg m², along and across a rod
RODS = np.diff(CORNERS, axis=0)


def bricard(last="revolute"):
    """`last` is the last joint: with "universal" it leaves out the one row that depends on the others."""
    s = fm.System(gravity=(0.0, -9.81, 0.0))
    end = s.ground.at(*CORNERS[0])
    for k, rod in enumerate(RODS):
        inertia = tuple(np.where(rod != 0.0, SLIM, WIDE))
        position, points = tuple(CORNERS[k] + rod / 2), {"A": tuple(-rod / 2), "B": tuple(rod / 2)}
        body = s.body(f"rod{k + 1}", mass=1.0, inertia=inertia, position=position, points=points)
        s.add(fm.Revolute(f"J{k + 1}", end, body["A"], axis=tuple(AXES[k % 3])))
        end = body["B"]
    ground = s.ground.at(*CORNERS[5])
    if last == "universal":
        s.add(fm.Universal("J6", ground, end, axis=tuple(AXES[2]), axis_b=tuple(AXES[0])))
    else:
        s.add(fm.Revolute("J6", ground, end, axis=tuple(AXES[2])))
    return s


class Hexagon:
    """Bricard's mechanism by its joint angles: a, b, a, b, a, b from the cube on, with ``(1 + sin a)(1 + sin b) = 1``."""

    def place(self, a, b):
        """Rotation matrices (5, 3, 3) of the rods, places (6, 3) of the joints, directions (5, 3) of their axes."""
        turn, at, turns, places, axes = np.eye(3), np.zeros(3), [], [np.zeros(3)], []
        for k, angle in enumerate((a, b, a, b, a)):
            axes.append(turn @ AXES[k % 3])
            turn = turn @ Rotation.from_rotvec(angle * AXES[k % 3]).as_matrix()
            at = at + turn @ RODS[k]
            turns.append(turn)
            places.append(at)
        return np.array(turns), np.array(places), np.array(axes)

    def slope(self, a, b):
        """Unit tangent of the curve of positions in the plane of a and b."""
        t = np.array([np.cos(b) * (1 + np.sin(a)), -np.cos(a) * (1 + np.sin(b))])
        return t / np.linalg.norm(t)

    def energies(self, a, b):
        """Twice the kinetic energy at unit speed along the curve, and the potential energy."""
        turns, places, axes = self.place(a, b)
        da, db = self.slope(a, b)
        spin, speed, twice = np.zeros(3), np.zeros(3), 0.0
        for k, rate in enumerate((da, db, da, db, da)):
            spin = spin + axes[k] * rate
            rod = places[k + 1] - places[k]
            v = speed + np.cross(spin, rod / 2)
            speed = speed + np.cross(spin, rod)
            along = spin @ rod
            twice += v @ v + SLIM * along**2 + WIDE * (spin @ spin - along**2)
        return twice, 9.81 * np.sum((places[1:, 1] + places[:-1, 1]) / 2)

    def rate(self, _, state):
        """Lagrange's equation for the way s along the curve: m s'' = -m'/2 s'^2 - V'."""
        here, speed, h = state[:2], state[2], 1e-5
        ahead, behind = (here + x * self.slope(*(here + x / 2 * self.slope(*here))) for x in (h, -h))
        dm, dv = (np.array(self.energies(*ahead)) - self.energies(*behind)) / (2 * h)
        return [*(self.slope(*here) * speed), -(0.5 * dm * speed**2 + dv) / self.energies(*here)[0]]


BRICARD = [f"rod3.{key}" for key in ("x", "y", "z", "d1x", "d2y", "d3z")] + ["energy.total", "energy.kinetic"]


def test_bricards_mechanism_has_one_row_too_many():
    with pytest.raises(fm.ModelError) as caught:
        fm.run(bricard, {}, end=1.0, points=2, outputs=["rod3.x"])
    sentence = str(caught.value)
    assert "over-constrained" in sentence and "1 of the rows J1 (x, y, z, tilt1, tilt2)" in sentence and "J6 (" in sentence
    assert "'augmented'" in sentence and "directors" not in sentence


def test_bricards_mechanism_moves_as_its_one_degree_of_freedom():
    run = simulate(bricard, BRICARD, end=5.0, points=51, lanes=1, constraints="augmented", tolerance=1e-10)
    assert run.attributes["constraints.dependent"].startswith("1 of the rows J1 (x, y, z, tilt1, tilt2)")
    got, hexagon = column(run), Hexagon()
    solution = solve_ivp(hexagon.rate, (0.0, 5.0), [0.0, 0.0, 0.0], t_eval=run.time, method="DOP853", rtol=1e-10, atol=1e-10).y
    wanted = np.zeros((51, 6))
    for k, (a, b, _) in enumerate(solution.T):
        turns, places, _ = hexagon.place(a, b)
        np.testing.assert_allclose(places[5], CORNERS[5], rtol=0, atol=1e-8)  # the loop is closed
        wanted[k] = [*(places[2] + places[3]) / 2, *np.diag(turns[2])]
    assert np.ptp(wanted, axis=0).min() > 0.29
    np.testing.assert_allclose(np.array([got[name] for name in BRICARD[:6]]).T, wanted, rtol=0, atol=1e-7)
    assert np.ptp(got["energy.total"]) < 1e-8 * got["energy.kinetic"].max()


@pytest.mark.slow
def test_bricards_mechanism_moves_as_without_its_redundant_row():
    options = {"end": 5.0, "points": 51, "lanes": 1, "tolerance": 1e-10}
    kept = column(simulate(bricard, BRICARD, constraints="augmented", **options))
    removed = simulate(lambda: bricard("universal"), BRICARD, **options)
    assert removed.attributes["constraints.dependent"] == "none"
    for name in BRICARD:
        np.testing.assert_allclose(kept[name], removed.outputs[name][0], rtol=0, atol=1e-7, err_msg=name)


def test_rows_that_contradict_each_other_are_refused():
    def build():
        s = n_four_bar(1)
        s.add(fm.Revolute("again", s.ground.at(1.5, 0.0), s.bodies[1]["A"]))
        return s

    with pytest.raises(fm.ModelError) as caught:
        fm.run(build, {}, end=1.0, points=2, outputs=["crank0.x"], settings={"constraints": "augmented"})
    assert "cannot be assembled" in str(caught.value) and "contradict" in str(caught.value) and "again" in str(caught.value)


# ---- one four-bar linkage, planar and spatial
LINKS = (("crank", 0.3, 0.0, 0.0), ("coupler", 1.0, 0.0, 0.3), ("rocker", 0.8, 1.0, 0.0))  # name, length, guess of the lower end
ANGLES = (1.5, 0.5, 1.6)


def four_bar(dimension):
    """Four revolute joints with parallel axes: in space three of their rows depend on the others."""
    up = (0.0,) * (dimension - 2)
    s = fm.System(gravity=(0.0, -9.81, *up))
    bodies = []
    for (name, length, x, y), angle in zip(LINKS, ANGLES, strict=True):
        turn = {"angle": angle, "rate": 0.0} if dimension == 2 else {"rotation": (0.0, 0.0, angle)}
        inertia = length**2 / 12 if dimension == 2 else (1e-3, length**2 / 12, length**2 / 12)
        place = (x + length / 2 * np.cos(angle), y + length / 2 * np.sin(angle), *up)
        points = {"A": (-length / 2, 0.0, *up), "B": (length / 2, 0.0, *up)}
        bodies.append(s.body(name, mass=1.0, inertia=inertia, position=place, points=points, **turn))
    crank, coupler, rocker = bodies
    ends = [s.ground.at(0.0, 0.0, *up), crank["A"], crank["B"], coupler["A"], coupler["B"], rocker["B"], s.ground.at(1.0, 0.0, *up)]
    ends.append(rocker["A"])
    axis = {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)}
    for name, a, b in zip("PQRS", ends[::2], ends[1::2], strict=True):
        s.add(fm.Revolute(name, a, b, **axis))
    return s


@pytest.mark.slow
def test_spatial_four_bar_moves_as_the_planar_one():
    names = [f"{body}.{key}" for body in ("crank", "coupler", "rocker") for key in ("x", "y", "vx", "vy")] + ["energy.total"]
    joints = [f"{joint}.{key}" for joint in "PQRS" for key in ("fx", "fy")]
    options = {"end": 2.0, "points": 21, "lanes": 1, "tolerance": 1e-10}
    plane = column(simulate(lambda: four_bar(2), names + joints, **options))
    run = simulate(lambda: four_bar(3), [*names, *joints, "crank.z", "S.fz", "S.mx"], constraints="augmented", **options)
    space = column(run)
    assert run.attributes["constraints.dependent"].startswith("3 of the rows P (")
    assert np.ptp(plane["crank.y"]) > 0.1
    for name in names:
        np.testing.assert_allclose(space[name], plane[name], rtol=0, atol=1e-7, err_msg=name)
    for name in joints:  # the redundant rows bear nothing
        np.testing.assert_allclose(space[name], plane[name], rtol=0, atol=1e-5 * np.abs(plane[name]).max(), err_msg=name)
    assert max(np.abs(space[name]).max() for name in ("crank.z", "S.fz", "S.mx")) < 1e-7


def swinging_bar(inertia):
    """1 kg and 1 m on a pin at its end, from the horizontal."""
    s = fm.System(gravity=(0.0, -9.81))
    bar = s.body("bar", mass=1.0, inertia=inertia, position=(0.5, 0.0), points={"A": (-0.5, 0.0)})
    s.add(fm.Revolute("A", s.ground.at(0.0, 0.0), bar["A"]))
    return s


def swung(inertia, **settings):
    """Run 0.5 s; where the bar's centre belongs by its one degree of freedom."""
    options = {"end": 0.5, "points": 2, "outputs": ["bar.x"], "settings": {"constraints": "augmented", **settings}}
    run = fm.run(swinging_bar, {"inertia": np.array(inertia)}, **options)
    pulls = [9.81 * 0.5 / (j + 0.25) for j in inertia]
    motions = [solve_ivp(lambda _, y, k=k: (y[1], -k * np.cos(y[0])), (0, 0.5), (0, 0), rtol=1e-11, atol=1e-12) for k in pulls]
    return run, np.array([0.5 * np.cos(x.y[0, -1]) for x in motions])


def test_small_inertias_are_held_by_augmented_rows_or_refused():
    """Below what the shift allows the pin would not carry the bar."""
    run, exact = swung([1e-2, 1e-4, 1e-6, 1e-8])
    np.testing.assert_allclose(run.outputs["bar.x"][:2, -1], exact[:2], rtol=0, atol=1e-8)
    assert list(run.status == 0) == [True, True, False, False]
    assert "body 'bar'" in run.message[2] and "a constraint_shift of 4e-08" in run.message[2]


@pytest.mark.slow
def test_a_smaller_shift_holds_small_inertias():
    run, exact = swung([1e-6], constraint_shift=4e-8)
    np.testing.assert_allclose(run.outputs["bar.x"][:, -1], exact, rtol=0, atol=1e-8)


# ---- a slider-crank of equal lengths: with the crank upright rod and crank may turn as one
def equal_lengths(angle=0.5, rate=3.0):
    """Crank and rod uniform, 1 kg and 1 m, slider 1 kg; angle in rad from the slider's line."""
    s = fm.System(gravity=(0.0, -9.81))
    c, n, points = np.cos(angle), np.sin(angle), {"A": (-0.5, 0.0), "B": (0.5, 0.0)}
    options = {"mass": 1.0, "inertia": 1 / 12, "points": points}
    crank = s.body("crank", position=(c / 2, n / 2), angle=angle, rate=rate, velocity=(-rate * n / 2, rate * c / 2), **options)
    rod = s.body("rod", position=(1.5 * c, n / 2), angle=-angle, rate=-rate, velocity=(-1.5 * rate * n, rate * c / 2), **options)
    slider = s.body("slider", mass=1.0, inertia=0.1, position=(2 * c, 0.0), velocity=(-2 * rate * n, 0.0))
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["A"]))
    s.add(fm.Revolute("B", crank["B"], rod["A"]))
    s.add(fm.Revolute("P", rod["B"], slider.at(0.0, 0.0)))
    s.add(fm.Translational("T", s.ground.at(0.0, 0.0), slider.at(0.0, 0.0), axis=(1.0, 0.0)))
    return s


EQUAL = {"dormand_prince": 1e-6, "rosenbrock": 2e-6, "rk4": 1e-7, "baumgarte": 1e-7, "energy_momentum": 1e-4}
EQUAL |= dict.fromkeys(("generalized_alpha", "generalized_alpha_2", "ggl", "hht"), 5e-4)


@pytest.mark.parametrize("integrator", [pytest.param(s, marks=() if s == "dormand_prince" else pytest.mark.slow) for s in EQUAL])
def test_slider_crank_of_equal_lengths_runs_through(integrator):
    """Three passages in 4 s, each by its inertia; one degree of freedom."""

    def rate(_, state):
        angle, speed = state
        c, n = np.cos(angle), np.sin(angle)
        mass, slope = 1 / 3 + 1 / 12 + c * c / 4 + 9 * n * n / 4 + 4 * n * n, 12.0 * n * c
        return speed, (-0.5 * slope * speed**2 - 9.81 * c) / mass

    adaptive = integrator not in ("rk4", "baumgarte", "energy_momentum")
    explicit = integrator in ("dormand_prince", "rosenbrock", "rk4", "baumgarte")
    options = {"integrator": integrator, "step": 0.0 if adaptive else 1e-3, "tolerance": 1e-8 if explicit else 1e-6}
    outputs = ["crank.angle", "slider.x"]
    run = fm.run(equal_lengths(), end=4.0, points=41, outputs=outputs, settings={"constraints": "augmented", "lanes": 1, **options})
    exact = solve_ivp(rate, (0.0, 4.0), (0.5, 3.0), t_eval=run.time, rtol=1e-11, atol=1e-11).y[0]
    assert exact[-1] > 2.5 * np.pi and run.status == 0, run.message
    np.testing.assert_allclose(run.outputs["crank.angle"], exact, rtol=0, atol=EQUAL[integrator])
    np.testing.assert_allclose(run.outputs["slider.x"], 2 * np.cos(exact), rtol=0, atol=2 * EQUAL[integrator])


def test_settings_of_constraints():
    for settings, word in (({"constraints": "augmentd"}, "augmented"), ({"constraint_shift": 0.0}, "constraint_shift")):
        with pytest.raises(fm.ModelError) as caught:
            fm.run(n_four_bar, {}, end=1.0, points=2, outputs=["crank0.x"], settings=settings)
        assert word in str(caught.value)
