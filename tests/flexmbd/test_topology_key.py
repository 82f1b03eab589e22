"""A changed structure never takes the model of another: what a process keeps for a system are the equations that it would write anew.

Kernels of one name, edited cells and attributes that `parameters` does not name are in `test_kernels.py`.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd.lubrication.elastic.ring import RingLiner
from flexmbd.lubrication.elastic.winkler import WinklerLiner
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.running import models
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings
from flexmbd.tuning import Tuning

from .changed_systems import (
    BRISTLES,
    COULOMB,
    EXPLICIT,
    IMPLICIT,
    LONG,
    MIXED,
    NEW_NAME,
    OLD_NAME,
    ROUGH,
    SHORT,
    TABLE,
    WARM,
    WORN,
    G,
    added,
    ball,
    ball_in_socket,
    beam,
    bodies,
    bushing,
    cable,
    closed,
    controlled,
    drive,
    driven,
    film_map,
    ground_points,
    in_space,
    journal,
    lined,
    motor,
    one,
    one_name,
    ordered,
    pinned,
    pulled,
    revolute,
    rubbing,
    settled,
    spring_law,
    stiff,
    stiffer,
    tilting,
    wheels,
    with_rod,
)
from .own_laws import Law, Linear, Quadratic


@pytest.fixture(autouse=True)
def own_models(monkeypatch):
    """Models of other tests are out of the way."""
    monkeypatch.setattr(models, "_models", {})


def written(model, system):
    """All that decides what a model computes for a system: code, rows, tables, numbers of the scheme, and numbers as they are packed."""
    uniform, own = model.pack(system, 1)
    arrays = (model.storage.tables, model.signals.storage.tables, *uniform.values(), own)
    rows = [row.name for row in model.layout.rows]
    facts = (model.width, model.scheme.name, model.scheme.numbers, model.units, model.requests.names, model.layout.sizes, model.dependent)
    contacts = [(c.name, c.element.continuous, c.element.law.continuous_onset) for c in model.problem.contacts]
    equations = model.problem
    states = [(s.name, s.controlled, None if s.contact is None else s.contact.index) for s in equations.states]
    facts += (equations.measures, bool(equations.initial_rows), contacts, states)
    return model.code.name, model.signals.code.name, rows, facts, [x.tobytes() for x in arrays]


def model_for(case):
    """Model of a case: a system, or a system with settings and outputs."""
    system, settings, outputs = (*case, EXPLICIT, ())[:3] if isinstance(case, tuple) else (case, EXPLICIT, ())
    return model_of(system, outputs, as_settings(settings)), system


def anew(make):
    """What is written for a case if nothing is kept."""
    models._models.clear()
    return written(*model_for(make()))


def kept_in_order(*makes):
    """Models of cases, one after the other in one process, and what is written in them for their systems."""
    models._models.clear()
    found = [model_for(make()) for make in makes]
    return [model for model, _ in found], [written(*pair) for pair in found]


PAIRS = {
    "body added": (partial(bodies, "a"), partial(bodies, "a", "b")),
    "bodies in another order": (partial(bodies, "a", "b"), partial(bodies, "b", "a")),
    "body renamed": (OLD_NAME, NEW_NAME),
    "point mass for a body": (partial(one, G, "body", inertia=0.3), partial(one, G, "point_mass")),
    "space for the plane": tuple(partial(one, g, "point_mass") for g in (G, (0.0, *G))),
    "points in another order": tuple(partial(with_rod, pinned, points=x) for x in (("O", "E"), ("E", "O"))),
    "ground's points in another order": (ground_points("P", "Q"), ground_points("Q", "P")),
    "springs in another order": (ordered("one", "two"), ordered("two", "one")),
    "spring removed": (ordered("one", "two"), ordered("one")),
    "alias": (revolute(), lambda: with_rod(lambda s, b: s.alias("angle", "rod.angle"))),
    "joint at another point": (revolute(at="O"), revolute(at="E")),
    "joint of another type": (revolute(), added(lambda o, body: fm.RevoluteTranslational("pin", o, body["O"]))),
    "point at the origin": (revolute(ground=(0.0, 0.0)), revolute(ground=(0.1, 0.0))),
    "point at one": (revolute(ground=(1.0, 0.2)), revolute(ground=(0.1, 0.2))),
    "point at minus one": (revolute(ground=(1.0, 0.2)), revolute(ground=(-1.0, 0.2))),
    "mass one": tuple(lambda m=m: with_rod(lambda s, body: s.add(fm.PointForce("f", body["E"], fx=2.0)), mass=m) for m in (1.0, 2.0)),
    "no gravity": (partial(with_rod, gravity=(0.0, 0.0)), partial(with_rod, gravity=G)),
    "gravity of samples": (partial(with_rod, gravity=G), partial(with_rod, gravity=(0.0, np.array([-9.81])))),
    "free length zero": tuple(added(lambda o, b, length=length: fm.Spring("coil", o, b["E"], 9.0, length=length)) for length in (0.0, 0.4)),
    "distance for a pin": (revolute(), added(lambda o, body: fm.Distance("pin", o, body["O"], length=0.6))),
    "law": (ball(fm.Hertz(1e6)), ball(fm.KelvinVoigt(1e6, 30.0))),
    "law's kernels": (ball(Law(Linear, 1e4)), ball(Law(Quadratic, 1e4))),
    "law's exponent": (ball(fm.LankaraniNikravesh(1e6, restitution=0.7)), ball(fm.LankaraniNikravesh(1e6, restitution=0.7, exponent=1.2))),
    "friction": (ball(), ball(friction=COULOMB)),
    "friction law": (ball(friction=COULOMB), ball(friction=fm.Threlfall(0.3, 0.02))),
    "bristles": (ball(friction=COULOMB), ball(friction=BRISTLES)),
    "friction's law in a joint": (rubbing(COULOMB), rubbing(fm.Threlfall(0.3, 0.02))),
    "width of a rubbing joint": (rubbing(COULOMB), rubbing(COULOMB, length=0.3)),
    "least impact velocity": (ball(), ball(minimum_impact_velocity=2e-3)),
    "film": (journal(film=None), journal(film=SHORT)),
    "film's formula": (journal(film=SHORT), journal(film=LONG)),
    "film's extent": (journal(film=SHORT), journal(film=replace(SHORT, extent="full"))),
    "film alone": (journal(film=SHORT), journal(law=None, film=SHORT)),
    "film's map": tuple(journal(film=MapFilm(0.02, 0.02, map=film_map(power))) for power in (3, 5)),
    "film's cells": tuple(journal(film=fm.ReynoldsFilm(0.02, 0.02, cells=cells)) for cells in ((12, 2), (16, 2))),
    "film's cavitation": tuple(journal(film=fm.ReynoldsFilm(0.02, 0.02, cells=(12, 2), cavitation=x)) for x in ("gumbel", "reynolds")),
    "film's side pressure": tuple(journal(film=fm.ReynoldsFilm(0.02, 0.02, cells=(12, 2), side_pressure=x)) for x in (0.0, 1e5)),
    "transition": (journal(film=SHORT), journal(film=SHORT, transition=fm.FloresTransition(1e-6, 2e-6))),
    "asperities": (journal(friction=MIXED, film=SHORT), journal(friction=MIXED, film=SHORT, asperities=ROUGH)),
    "warm film": (journal(film=SHORT), journal(film=SHORT, temperature=WARM)),
    "worn": (journal(), journal(worn=WORN)),
    "order of the worn profile": (journal(worn=WORN), journal(worn=fm.WornProfile(2e-5, np.array([1e-6]), np.array([2e-6])))),
    "centred start": (journal(), journal(start="centred")),
    "liner's harmonics": (lined(WinklerLiner(1e8, 0.3, 1e-3, 1200.0)), lined(WinklerLiner(1e8, 0.3, 1e-3, 1200.0), 1)),
    "joint in space": tuple(in_space(lambda o, b, kind=kind: kind("pin", o, b.centre)) for kind in (fm.Spherical, fm.Fixed)),
    "axis in space": tuple(in_space(lambda o, b, a=a: fm.Revolute("pin", o, b.centre, axis=a)) for a in ((0.0, 0.6, 0.8), (0.0, 0.0, 1.0))),
    "bushing's directions": (bushing(1e3, 2e3, 3e3, 4.0, 5.0, 6.0), bushing(1e3, 2e3, 0.0, 4.0, 5.0, 6.0)),
    "socket's friction": (ball_in_socket(), ball_in_socket(friction=COULOMB)),
    "socket's film": (ball_in_socket(), ball_in_socket(film=fm.SphericalFilm(0.02))),
    "extent of the socket's film": tuple(ball_in_socket(film=fm.SphericalFilm(0.02, extent=x)) for x in ("half", "full")),
    "tilting journal's friction": (tilting(), tilting(friction=COULOMB)),
    "cells of a tilted film": tuple(tilting(film=fm.TiltedFilm(0.02, cells=cells)) for cells in ((12, 4), (16, 4))),
    "cavitation of a tilted film": tuple(tilting(film=fm.TiltedFilm(0.02, x, (12, 4))) for x in ("gumbel", "reynolds")),
    "drive's motion": (drive(fm.Harmonic(0.7, 3.0, 0.2, 0.3)), drive(fm.Polynomial((0.3, 0.2, 0.4)))),
    "drive's degree": (drive(fm.Polynomial((0.3, 0.2))), drive(fm.Polynomial((0.3, 0.2, 0.4)))),
    "drive's sum": (drive(fm.Polynomial((0.3, 0.2))), drive(fm.Polynomial((0.3, 0.2)) + fm.Harmonic(0.7, 3.0, 0.2, 0.3))),
    "drive's harmonics": (drive(fm.Fourier(2.0, TABLE[1])), drive(fm.Fourier(2.0, TABLE[1][:3]))),
    "table's length": (spring_law(fm.Table(*TABLE)), spring_law(fm.Table(*(x[:3] for x in TABLE)))),
    "table's kind": (spring_law(fm.Table(*TABLE)), spring_law(fm.Table(*TABLE, kind="cubic"))),
    "table's ends": (spring_law(fm.Table(*TABLE)), spring_law(fm.Table(*TABLE, beyond="extrapolate"))),
    "force of a follower": tuple(added(lambda o, b, f=f: fm.PointForce("f", b["E"], fx=2.0, fy=3.0, follower=f)) for f in (True, False)),
    "actuator's limit": (motor(), motor(limit=2.0)),
    "actuator's saturation": (motor(limit=2.0), motor(limit=2.0, saturation="smooth")),
    "actuator's lag": (motor(), motor(lag=0.2)),
    "controller's integral": (controlled(), controlled(ki=2.0)),
    "controller's filter": (controlled(), controlled(filter=0.2)),
    "controller's winding": tuple(controlled(limit=2.0, ki=2.0, tracking=x) for x in (3.0, float("inf"))),
    "teeth": (wheels(fm.Gear), wheels(fm.Gear, (20, 30))),
    "internal teeth": (wheels(fm.Gear), wheels(fm.Gear, internal=True)),
    "elastic teeth": (wheels(fm.Gear), wheels(fm.GearMesh, stiffness=1e4)),
    "backlash": (wheels(fm.GearMesh, stiffness=1e4), wheels(fm.GearMesh, stiffness=1e4, backlash=1e-3)),
    "force function": (pulled(stiff, {"k": 2.0, "c": 3.0}), pulled(stiffer, {"k": 2.0, "c": 3.0})),
    "force function's text": tuple(pulled(one_name(x), {"k": 2.0, "c": 3.0}) for x in ("-k * d[0] - c * v[0]", "-k * d[0]")),
    "force function's globals": tuple(pulled(one_name("-S * k * d[0]", S=size), {"k": 2.0, "c": 3.0}) for size in (2.0, 3.0)),
    "force function's closure": tuple(pulled(closed(scale), {"k": 2.0, "c": 3.0}) for scale in (2.0, 3.0)),
    "force function's motion": tuple(pulled(driven, {"k": k}) for k in (fm.Polynomial((2.0, 3.0)), fm.Harmonic(3.0, 2.0, 0.3, 0.2))),
    "elements of a cable": (cable(), cable(elements=3)),
    "cable's rule": (cable(), cable(integration="full")),
    "cable's strain": (cable(), cable(strain="engineering")),
    "cable's curvature": (cable(), cable(curvature="small")),
    "cable's damping": (cable(), cable(damping=1e-3)),
    "cable's point": (cable(pulled=0.3), cable(pulled=0.9)),
    "beam's sections": (beam(), beam(sections="rigid")),
    "beam's curvature": (beam(), beam(curvature=(0.1, 0.2, 0.3))),
    "beam's damping": (beam(), beam(damping=1e-3)),
    "integrator": (settled(revolute()), settled(revolute(), integrator="rk4", step=1e-3)),
    "implicit": (settled(revolute()), settled(revolute(), **IMPLICIT)),
    "spectral radius": tuple(settled(revolute(), **IMPLICIT, spectral_radius=x) for x in (0.8, 0.6)),
    "decay": tuple(settled(revolute(), integrator="baumgarte", step=1e-3, decay=x) for x in (5.0, 8.0)),
    "lanes": (settled(revolute()), settled(revolute(), lanes=4)),
    "tuning": tuple(settled(cable(elements=4), **IMPLICIT, tuning=Tuning(single_elements=n)) for n in (3, 9)),
    "augmented constraints": (settled(revolute()), settled(revolute(), constraints="augmented")),
    "shift": tuple(settled(revolute(), constraints="augmented", constraint_shift=x) for x in (1e-6, 1e-4)),
    "linear solver": (settled(cable(), **IMPLICIT), settled(cable(), **IMPLICIT, linear_solver="superlu")),
    "outputs": (settled(revolute(), ("rod.angle",)), settled(revolute(), ("rod.rate",))),
    "reductions": (settled(revolute(), ("rod.angle",)), settled(revolute(), ("rod.angle:max",))),
    "outputs that bring states": (settled(revolute(), ("rod.angle",)), settled(revolute(), ("rod.angle", "energy.dissipated"))),
}  # fmt: skip
NUMBERS = {
    "force function's numbers in another order": (pulled(stiff, {"k": 2.0, "c": 3.0}), pulled(stiff, {"c": 3.0, "k": 2.0})),
    "law's formula": tuple(ball(fm.Gonthier(1e6, restitution=0.7, approximate=x)) for x in (True, False)),
    "liner of another kind": (lined(WinklerLiner(1e8, 0.3, 1e-3, 1200.0)), lined(RingLiner(1e8, 0.3, 1e-3, 1200.0))),
    "table's spline": (spring_law(fm.Table(*TABLE, kind="natural")), spring_law(fm.Table(*TABLE, kind="cubic"))),
    "mass": (partial(with_rod, mass=3.0), partial(with_rod, mass=2.0)),
    "samples": tuple(partial(with_rod, mass=np.array([mass])) for mass in (3.0, 1.0)),
    "start": tuple(partial(with_rod, velocity=(v, 0.0)) for v in (0.0, 1.0)),
    "tolerance": tuple(settled(revolute(), tolerance=x) for x in (1e-6, 1e-9)),
}


@pytest.mark.parametrize("change", PAIRS)
def test_a_changed_structure_has_its_own_model(change):
    makes = PAIRS[change]
    wanted = [anew(make) for make in makes]
    for way in (1, -1):
        found, got = kept_in_order(*makes[::way])
        assert got == wanted[::way]
        assert found[0] is not found[1]


@pytest.mark.parametrize("change", NUMBERS)
def test_a_change_of_numbers_alone_keeps_the_model(change):
    makes = NUMBERS[change]
    (first, second), got = kept_in_order(*makes)
    assert first is second and got == [anew(make) for make in makes]


def test_a_renamed_body_shares_machine_code_but_no_model():
    (first, second), _ = kept_in_order(*PAIRS["body renamed"])
    assert first is not second and first.code.name == second.code.name
    assert {row.name for row in first.layout.rows} != {row.name for row in second.layout.rows}


VALUES = st.sampled_from((0.0, -0.0, 1.0, -1.0, 0.5, 2, np.array([1.0]), np.array([0.5])))


@few(max_examples=25, deadline=None)
@given(st.lists(st.tuples(*[VALUES] * 5), min_size=2, max_size=3))
def test_constants_that_are_folded_into_code_belong_to_it(cases):
    def make(x, y, fx, fy, g):
        def add(s, body):
            s.add(fm.Spring("coil", s.ground.at(x, y), body["E"], 9.0, length=g))
            s.add(fm.PointForce("pull", body["O"], fx=fx, fy=fy))

        return with_rod(add, gravity=(0.0, g))

    makes = [partial(make, *case) for case in cases]
    assert kept_in_order(*makes)[1] == [anew(make) for make in makes]


MOVED = ("ground's points in another order", "force function's closure", "drive's degree",
         "point at one", "springs in another order")  # fmt: skip


@pytest.mark.parametrize("way", (1, -1))
@pytest.mark.parametrize("change", MOVED)
def test_a_changed_structure_moves_its_own_way(change, way):
    """In one process, one after the other and the first again, to the last bit as alone."""

    def moved(make):
        return fm.run(make(), end=0.3, points=3, outputs=["rod.x", "rod.angle"], settings=EXPLICIT)["rod.angle"].tolist()

    makes, alone = PAIRS[change][::way], []
    for make in makes:
        models._models.clear()
        alone.append(moved(make))
    models._models.clear()
    assert [moved(make) for make in (*makes, makes[0])] == [*alone, alone[0]]


def guided(*axes):
    """A body with three points on three lines: parallel ones hold it no better than two."""
    s = fm.System(gravity=G)
    places = ((0.4, 0.1), (-0.3, 0.25), (0.05, -0.45))
    body = s.body("body", mass=2.0, inertia=0.3, position=(0.3, 0.2))
    for k, ((x, y), axis) in enumerate(zip(places, axes, strict=True)):
        s.add(fm.RevoluteTranslational(f"line{k}", s.ground.at(0.3 + x, 0.2 + y), body.at(x, y), axis=axis))
    return s


HELD, LOOSE = ((0.6, 0.8), (0.8, 0.6), (-0.6, 0.8)), ((0.6, 0.8),) * 3


@pytest.mark.parametrize("order", [(HELD, LOOSE), (LOOSE, HELD), (HELD, LOOSE, HELD, LOOSE)], ids=["held first", "loose first", "in turn"])
def test_constraints_are_judged_by_their_own_numbers_though_the_model_is_there(order):
    for axes in order:
        if axes is LOOSE:
            with pytest.raises(fm.ModelError, match="over-constrained or singular"):
                model_of(guided(*axes), (), as_settings(EXPLICIT))
        else:
            assert model_of(guided(*axes), (), as_settings(EXPLICIT)).dependent == "none"


def test_what_depends_is_told_of_the_systems_own_numbers():
    augmented = as_settings(EXPLICIT | {"constraints": "augmented"})
    told = [(model_of(guided(*axes), (), augmented), model_of(guided(*axes), (), augmented).dependent) for axes in (HELD, LOOSE, HELD)]
    assert told[0][0] is told[1][0] is told[2][0]
    assert [words.split(" ")[0] for _, words in told] == ["none", "1", "none"]
