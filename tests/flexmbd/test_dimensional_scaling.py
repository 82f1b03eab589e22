"""Laws, films, joints and forces in millimetres, grams and milliseconds are those in metres, kilograms and seconds.

Contacts over whole impacts in units, sizes and places of many orders of magnitude are in `test_scales.py`. What has a dimension of its own,
and so does not scale, is listed at the end.
"""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.friction import FRICTION_LAWS
from flexmbd.lanes import sqrt
from flexmbd.lubrication import FILMS
from flexmbd.lubrication.film_map import build_map
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.running.scales import contact_scales, extents
from flexmbd.running.settings import Settings

from . import force_gallery, joint_gallery, test_actuators, test_coupled_joints
from .in_units import SI, Units, converted, system_in
from .test_contact_laws import VARIANTS as LAWS

CASES = {
    "mm": Units(m=1e3),
    "g": Units(kg=1e3),
    "ms": Units(s=1e3),
    "mm, g, ms": Units(1e3, 1e3, 1e3),
    "um, t, h": Units(1e6, 1e-3, 1 / 3600),
}
POWERS_OF_TWO, SLOW_POWERS_OF_TWO = Units(2.0**10, 2.0**-8), Units(2.0**10, 2.0**-8, 2.0**6)
in_every_unit = pytest.mark.parametrize("units", CASES.values(), ids=CASES)


def check(kernel, thing, arguments, results, units, rtol=1e-12):
    """Results of a kernel in SI and in other units; both lists are of (value, unit), those of the results without values."""
    there = converted(thing, units)
    first = kernel(thing)(*(x for x, _ in arguments), *thing.numbers().values())
    second = kernel(there)(*(x * units.size(unit) for x, unit in arguments), *there.numbers().values())
    first, second = np.atleast_1d(first), np.atleast_1d(second)
    assert len(first) == len(results)
    sizes = np.array([units.size(unit) for unit in results])
    np.testing.assert_allclose(second / sizes, first, rtol=rtol, atol=0.0 if rtol < 1e-10 else 1e-12 * np.abs(first).max())


# ---- laws and films: their kernels
@in_every_unit
@pytest.mark.parametrize("law", LAWS)
def test_normal_laws(law, units):
    for depth in (1e-9, 3e-6, 2e-4):
        for rate in (-0.2, 0.0, 0.7):
            state = [(depth, "m"), (rate, "m/s"), (0.8, "m/s")]
            check(lambda law: law.kernels().force, law, state, ("N", "N"), units)
            check(lambda law: law.kernels().tangent, law, state, ("N/m", "N s/m"), units, 1e-10)
        check(lambda law: law.kernels().energy, law, [(depth, "m")], ("J",), units, 1e-11)


FRICTIONS = [
    fm.Ambrosio(0.2, v0=1e-3, v1=1e-2), fm.CoulombExponential(0.2, 1e-2, 1.3), fm.LuGre(0.3, 0.2, 2e-2, 1e4, 30.0, 0.1),
    fm.Stribeck(0.3, 0.2, 2e-2, 1e-3, 0.1), fm.Threlfall(0.2, 1e-2), fm.MixedFriction(0.2, 1e-2),
]  # fmt: skip


def test_every_friction_law_is_among_them():
    assert {type(law) for law in FRICTIONS} == {*FRICTION_LAWS, fm.MixedFriction}


@in_every_unit
@pytest.mark.parametrize("law", FRICTIONS, ids=lambda law: law.name)
def test_friction_laws(law, units):
    third = "N s/m" if isinstance(law, fm.MixedFriction) else "m"  # the film's drag, or the bristles
    for slip in (-0.3, -2e-3, 1e-5, 4e-3, 0.5):
        state = [(slip, "m/s"), (70.0, "N"), (1.3e-5, third)]
        check(lambda law: law.kernels().force, law, state, ("N", "m/s"), units)
        partial = ("N s/m", "1", "m/s" if third != "m" else "N/m")
        check(lambda law: law.kernels().tangent, law, state, partial, units, 1e-11)
        if law.kernels().state_tangent is not None:
            check(lambda law: law.kernels().state_tangent, law, state, ("1", "1/s"), units)


MU, L, C, R = 0.04, 0.02, 1e-4, 0.01


def no_film(eps, beta):
    """An impedance against the motion, that grows towards the wall."""
    size = (1.0 - eps * eps) ** -1.5
    return -np.cos(beta) * size, -np.sin(beta) * size


OILS = [
    *(cls(MU, L, extent=extent) for cls in (fm.LongFilm, fm.ShortFilm) for extent in ("full", "half")), fm.PinkusSternlicht(MU, L),
    MapFilm(MU, L, map=build_map(no_film, settings={"film": "none", "length": 1.0}, tolerance=1e-2)),
    *(fm.ReynoldsFilm(MU, L, cells=(12, 3), cavitation=x, side_pressure=2e5) for x in ("sommerfeld", "gumbel", "reynolds")),
]  # fmt: skip


def test_every_film_is_among_them():
    assert {type(film) for film in OILS} >= set(FILMS)


@in_every_unit
@pytest.mark.parametrize("film", OILS, ids=lambda film: f"{film.name}-{getattr(film, 'extent', getattr(film, 'cavitation', ''))}")
def test_films(film, units):
    solved = isinstance(film, fm.ReynoldsFilm)
    for place in ((2e-5, -1e-5, 0.02, -0.3), (7e-5, 5e-5, -0.1, 0.05), (1e-6, 0.0, 0.0, 0.2)):
        state = [*zip(place, ("m", "m", "m/s", "m/s"), strict=True), (C, "m"), (R, "m")]
        check(lambda film: film.kernels().force, film, state, ("N", "N"), units, 1e-9 if solved else 1e-12)
        partial = ("N/m", "N/m", "N s/m", "N s/m") * 2
        check(lambda film: film.kernels().tangent, film, state, partial, units, 1e-7 if solved else 1e-10)
        kernels = film.kernels()
        for name, unit in (("peak", "Pa"), ("flow", "m^3/s")):
            if getattr(kernels, name) is not None:
                check(lambda film, name=name: getattr(film.kernels(), name), film, state, (unit,), units, 1e-9)
    if not solved:
        check(lambda film: film.kernels().shear, film, [*state[:2], *state[4:]], ("N m s",), units)
        check(lambda film: film.kernels().shear_tangent, film, [*state[:2], *state[4:]], ("N s", "N s"), units)


@in_every_unit
@pytest.mark.parametrize("extent", ["full", "half"])
def test_films_between_ball_and_socket(extent, units):
    """Their kernels take the radius once more, behind the viscosity."""
    film = fm.SphericalFilm(MU, extent=extent)
    state = [*zip((2e-5, -1e-5, 0.02, -0.3, C, R), ("m", "m", "m/s", "m/s", "m", "m"), strict=True)]
    check(lambda film: lambda *x: film.kernels().force(*x, x[5]), film, state, ("N", "N"), units, 1e-11)
    partial = ("N/m", "N/m", "N s/m", "N s/m") * 2
    check(lambda film: lambda *x: film.kernels().tangent(*x, x[5]), film, state, partial, units, 1e-10)
    check(lambda film: film.kernels().shear, film, [(0.3, "1"), *state[4:]], ("N m s", "N m s"), units)


@in_every_unit
def test_asperities(units):
    rough = fm.GreenwoodTripp(density=2.5e10, tip_radius=2e-6, roughness=1e-6, modulus=1.15e11, length=L)
    for place in ((9.7e-5, 1e-6), (-9.9e-5, 2e-5), (3e-5, 9.7e-5)):
        state = [(x, "m") for x in (*place, C, R)]
        for name, unit in {"force": ("N",) * 2, "tangent": ("N/m",) * 4, "energy": ("J",), "load": ("N", "N/m", "N/m")}.items():
            check(lambda rough, name=name: getattr(rough.kernels(), name), rough, state, unit, units, 1e-10)


# ---- joints and forces: short runs
def moves(make, outputs, end, cases, **settings):
    """Histories (units, points) of outputs, in SI units: systems in other units as samples of one run."""
    cases, first = list(cases), make()

    def build(case):
        return system_in(first, cases[int(case)])

    time = cases[0].s
    run = fm.run(build, {"case": np.arange(len(cases))}, end=end * time, points=6, outputs=outputs, settings={"lanes": 4, **settings})
    assert not run.status.any(), run.message
    return {name: run[name] / np.array([[u.size(run.units[name])] for u in cases]) for name in outputs}


def same_in_all_units(make, outputs, end, rtol=1e-9, exact=(3, 6), **settings):
    """Compare histories by the largest value of each; runs that share a unit of time are lanes of one.

    In units that are powers of two every number is rounded alike, so histories are the same to the last bit. In others an adaptive step
    across a kink may be another one, for the last bit of its error. `exact`: of the seven histories those in powers of two that are so.
    """
    settings = {"step": 0.0} | settings
    groups = [[SI, CASES["mm"], CASES["g"], POWERS_OF_TWO], [CASES["ms"], CASES["mm, g, ms"]], [SLOW_POWERS_OF_TWO]]
    found = [moves(make, outputs, end, group, **settings | {"step": settings["step"] * group[0].s}) for group in groups]
    wrong = {}
    for name in outputs:
        both = np.vstack([part[name] for part in found])
        off = np.abs(both - both[0]).max(axis=1) / max(np.abs(both[0]).max(), 1e-300)
        if (np.any(off > rtol) or off[list(exact)].any()) and np.abs(both).max() > 1e-12:
            wrong[name] = off
    assert not wrong, wrong


def plain(outputs):
    """Outputs without reductions."""
    return [name for name in outputs if ":" not in name and name != "energy.balance"]


def test_joints_and_drives():
    same_in_all_units(joint_gallery.gallery, plain(joint_gallery.OUTPUTS), 0.4)


def test_forces():
    same_in_all_units(force_gallery.gallery, plain(force_gallery.OUTPUTS), 0.4)


def test_actuators_and_controllers():
    """Limits have kinks; the integral of a target of 1e-4 rad begins below 1e-12 N m, where errors of states are absolute."""
    same_in_all_units(test_actuators.gallery, plain(test_actuators.OUTPUTS), 0.4, 1e-5, (3,))


def test_racks_and_cams():
    same_in_all_units(test_coupled_joints.planar, plain(test_coupled_joints.OUTPUTS), 0.4)


def drag(t, d, v, c):
    vx, vy = v
    speed = sqrt(vx * vx + vy * vy)
    return -c * speed * vx, -c * speed * vy


def coil(t, angle, rate, k, c):
    return -k * angle - c * rate


CURVE = fm.Table((-0.6, -0.1, 0.2, 0.9), (-7.0, -3.0, 1.0, 8.0), "natural", "extrapolate")


def others():
    """Forces and joints that are in no gallery: by functions, tables and teeth, with friction."""
    s = fm.System(gravity=(0.0, -9.81))
    o = s.ground.at(0.0, 0.0)
    stone = s.body("stone", mass=2.3, inertia=0.7, position=(0.4, 0.1), velocity=(3.0, 2.0))
    s.add(fm.UserForce("drag", o, stone.centre, drag, {"c": 0.8}))
    s.add(
        fm.NonlinearSpring("spring", s.ground.at(-0.5, 0.3), stone.centre, CURVE, damping=fm.Polynomial((0.0, 1.0, 0.0, 0.5)), length=0.7)
    )
    wheels = []
    for k, (x, inertia) in enumerate(((0.0, 0.2), (0.6, 0.3))):
        wheels.append(s.body(f"wheel{k}", mass=1.3, inertia=inertia, position=(x, 2.0), angle=0.4, rate=2.0 * (1 - 3 * k)))
        pin = s.add(fm.Revolute(f"pin{k}", s.ground.at(x, 2.0), wheels[k].centre))
        s.add(fm.JointFriction(f"rub{k}", pin, fm.CoulombExponential(0.3, 0.02, 1.1), radius=0.03))
    s.add(fm.UserTorque("coil", s.ground, wheels[0], coil, {"k": 6.0, "c": 0.3}))
    s.add(fm.NonlinearTorsionSpring("hair", s.ground, wheels[1], fm.Polynomial((0.0, 0.4, 0.0, 0.02)), angle=0.5))
    s.add(fm.GearMesh("mesh", wheels[0].centre, wheels[1].centre, (20, 40), 3e3, 2.0, backlash=2e-3))
    slide = s.body("slide", mass=1.7, inertia=0.4, position=(0.0, 1.8))
    s.add(fm.Translational("rail", s.ground.at(0.0, 1.8), slide.centre))
    s.add(fm.Rack("teeth", wheels[0].centre, slide.centre, 0.2, 4e3, 3.0))
    return s


def test_user_forces_tables_teeth_and_friction_in_joints():
    outputs = ["stone.x", "stone.vy", "drag.fx", "spring.force", "wheel0.angle", "wheel1.rate", "rub0.torque", "coil.moment", "slide.x"]
    same_in_all_units(others, [*outputs, "energy.dissipated"], 0.3, 1e-5, tolerance=1e-9)  # play has kinks


def hung():
    """A cable in the plane with a load."""
    s = fm.System(gravity=(0.0, -9.81))
    steel = fm.Material(E=2e8, nu=0.3, density=1100.0)
    line = s.cable("line", length=1.3, elements=2, section=fm.Section(1e-4, 3e-9), material=steel, damping=2e-3, direction=(1.0, -0.5))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), line["start"]))
    s.add(fm.PointForce("load", line["end"], fy=-0.3))
    return s


def test_cables():
    outputs = ["line.end.x", "line.end.vy", "pin.fy", "energy.kinetic"]
    same_in_all_units(hung, outputs, 0.1, integrator="generalized_alpha", fixed=True, step=1e-3)


STEEL = fm.Material(E=207e9, nu=0.3, density=7800.0)
LAW, FRICTION = fm.HuntCrossley(5e9, restitution=0.6), fm.Ambrosio(0.1, v0=1e-3, v1=1e-2)
ROUGH = fm.GreenwoodTripp(density=2.5e10, tip_radius=2e-6, roughness=1e-6, modulus=1.15e11, length=L)
WARM = fm.FilmTemperature(fm.Vogel.iso_vg(46.0), 313.0, 303.0, 17.0, 0.4)
JOURNALS = {
    "dry": {"law": LAW, "friction": FRICTION},
    "worn": {"law": LAW, "friction": FRICTION, "worn": fm.WornProfile(2e-5, np.array([1e-6, 3e-6]), np.array([2e-6, 5e-7]))},
    "film and contact": {"law": LAW, "film": fm.ShortFilm(MU, L)},
    "hybrid": {"law": LAW, "film": fm.ShortFilm(MU, L), "transition": fm.FloresTransition(1e-6, 2e-6)},
    "mixed": {"law": None, "film": fm.ShortFilm(5e-3, L), "friction": fm.MixedFriction(0.1, 0.1), "asperities": ROUGH, "temperature": WARM},
}


def journals():
    """Bearings side by side, thrown against."""
    s = fm.System(gravity=(0.0, -9.81))
    for k, more in enumerate(JOURNALS.values()):
        shaft = s.body(f"b{k}", mass=0.4, inertia=2e-3, position=(0.1 * k + 5e-5, 0.0), velocity=(0.12, 0.05), rate=60.0)
        options = {"bearing_radius": R, "minimum_impact_velocity": 1e-3} | more
        s.add(fm.ClearanceRevolute(f"J{k}", shaft.centre, s.ground.at(0.1 * k, 0.0), C, **options))
    return s


def test_bearings_dry_worn_lubricated_and_mixed():
    kinds = ("x", "vy", "rate")
    outputs = [f"b{k}.{kind}" for k in range(len(JOURNALS)) for kind in kinds]
    last = len(JOURNALS) - 1
    outputs += ["J0.impacts", "J1.force", "J2.film_force", f"J{last}.temperature", f"J{last}.asperity_force", "energy.dissipated"]
    same_in_all_units(journals, outputs, 2e-3, 1e-6, ())  # events are located within 1e-10 m, see `flexmbd.running.scales`


# ---- what does not scale
def test_grades_and_walthers_law_have_units_of_their_own():
    """Formulas with a number of a dimension: 1.8e-4 Pa s in DIN 31652 (grades are mm^2/s), 0.7 mm^2/s in ASTM D341. Both say so."""
    assert "mm^2/s" in fm.Vogel.iso_vg.__doc__ and "mm^2/s" in fm.Walther.__doc__
    cold, warm = (313.15, 373.15), 343.15
    thick, thin = (fm.Walther.through(cold, (46e-6 * k, 6.8e-6 * k)).viscosity(warm) / k for k in (1.0, 0.1))
    assert abs(thin / thick - 1.0) > 1e-3
    graded = [law.b / fm.Vogel.iso_vg(46.0).b for law in (fm.Vogel.iso_vg(46.0, 900.0), fm.Vogel.iso_vg(46.0, 90.0))]
    assert abs(graded[1] - graded[0]) > 0.1
    vogel = [fm.Vogel.through(cold, (46e-3 * k, 6.8e-3 * k)).viscosity(warm) / k for k in (1.0, 1e3)]
    assert vogel[1] == pytest.approx(vogel[0], rel=1e-12)


def test_the_least_impact_velocity_is_a_millimetre_a_second_unless_it_is_given():
    """`running.scales`: smaller only where the mechanism is small, so a law of the approach speed is given another one in millimetres."""
    for m, slowest in ((1.0, 1e-3), (1e3, 1e-3), (1e-3, 1e-4)):
        units, system = Units(m=m), fm.System()
        ball = system.body("ball", mass=2.0, inertia=0.5 * m**2, position=(0.0, 0.5 * m))
        law = fm.Hertz(1e6 * units.size("N/m^1.5"))
        system.add(fm.DiscPlane("c", ball.centre, system.ground.at(0.0, 0.0), 0.5 * m, law))
        _, (found,) = contact_scales(system, system.elements, extents(system, 1), Settings(tolerance=1e-8))
        assert found[0] == pytest.approx(slowest) if m >= 1.0 else found[0] < slowest
