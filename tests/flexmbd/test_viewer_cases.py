"""What all runs of a batch cover, around the nominal one: regions hold every point of every run, and no more."""

import base64
import json

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.viewer.block import block_html, block_scene, block_scripts
from flexmbd.viewer.cases import cases_of
from flexmbd.viewer.envelope import Envelope, circle, points_of
from flexmbd.viewer.motion import motion_of
from flexmbd.viewer.packing import unpacked

from .shown_models import ROD, crank, made_up

LABELS = ["nominal", "highest", "lowest"]
NAMES = {
    "top": "beside bodies end envelope force format high larger looks low notes planar play playing rows runs size start up",
    "run": "apart arrows bearings bodies dots end guides keys label lines links shift trails",
    "envelope": "across keys larger off pieces runs",
}


@pytest.fixture(scope="module")
def batch():
    """Six runs of a crank."""
    draws = np.random.default_rng(4)
    samples = {"length": ROD + draws.uniform(-4e-3, 4e-3, 6), "clearance": draws.uniform(1e-4, 5e-4, 6)}
    return fm.run(crank, samples, end=0.05, points=101, outputs=["B.force"], poses=True)


@pytest.fixture(scope="module")
def cases(batch):
    return cases_of(batch, LABELS)


def told(envelope, k):
    """Times, and of piece number k its support values at them, as the page has them; differences as large as they are drawn."""
    keys, piece = envelope["keys"], envelope["pieces"][k]
    values = unpacked(keys["tracks"][k], keys["count"])
    times = np.frombuffer(base64.b64decode(keys["times"]), "<f4")
    return times, values + piece["base"] if "base" in piece else values[:, : values.shape[1] // 2] + values[:, values.shape[1] // 2 :]


def test_regions_hold_every_point_of_every_run(batch, cases):
    scene, envelope = cases.scene, cases.data["envelope"]
    assert envelope["larger"] == 1.0, "these runs differ by much"
    nominal, room = scene.motions[0], 3e-3 * scene.size
    for k, piece in enumerate(envelope["pieces"]):
        name = scene.names[piece["body"]]
        times, support = told(envelope, k)
        own = np.stack([np.interp(nominal.time, times, column) for column in support.T], axis=1)
        body = nominal.bodies[name]
        ways = body.rotation @ circle(np.array(piece["angles"]))
        for i in range(6):
            motion = motion_of(batch.of_sample(i))
            moved = motion.bodies[name]
            points = moved.position[:, None] + points_of(scene, motion, name) @ np.swapaxes(moved.rotation, 1, 2)
            reach = ((points - body.position[:, None]) @ ways).max(axis=1)
            assert (reach - own).max() <= room, (name, i)
        assert name != "crank" or (own - support[0]).max() < room, "the driven crank is where it is in all runs"


def test_a_region_reaches_as_far_as_the_ends_of_the_rods_of_all_runs(batch, cases):
    """By the poses of the batch, and the points that the model was built with."""
    rod = next(piece for piece in cases.envelope.pieces if piece.body == "rod")
    poses, seats = batch.poses("rod"), batch.bodies["rod"].seats
    ends = []
    for name in "AB":
        seat = np.stack(np.broadcast_arrays(*seats[name][:2], np.zeros(6)))
        ends.append(poses.position + np.einsum("ntij,jn->nti", poses.rotation, seat))
    ends = np.stack([*ends, poses.position], axis=2) - rod.origin[None, :, None]
    np.testing.assert_allclose((ends @ rod.ways).max(axis=(0, 2)), rod.most, atol=1e-12)


def test_small_differences_are_drawn_larger_and_that_is_said(batch):
    samples = {"length": ROD + np.array([0.0, 1e-6, -1e-6]), "clearance": np.full(3, 2e-4)}
    near = cases_of(fm.run(crank, samples, end=0.02, points=41, outputs=["B.force"], poses=True), LABELS)
    larger, widest = near.data["larger"], near.envelope.widest
    assert larger >= 10.0 and 0.02 * near.scene.size < larger * widest <= 0.06 * near.scene.size
    html = block_html(near.data | {"cases": [{"label": x, "says": x} for x in LABELS], "still": near.still(1, 0.01)}, "x")
    assert f"differences from the nominal run drawn {larger:g} times larger" in html and "region of all 3 runs" in html


def test_runs_that_do_not_differ_are_drawn_as_they_are(batch):
    same = cases_of(
        fm.run(crank, {"length": np.full(2, ROD), "clearance": np.full(2, 2e-4)}, end=0.01, points=11, outputs=[], poses=True),
        LABELS[:2],
    )
    assert same.data["larger"] == 1.0 and same.envelope.widest < 1e-12


def test_a_run_that_failed_is_no_part_of_the_region_and_one_that_never_moved_is_said(batch):
    from dataclasses import replace

    status = np.array([0, 0, 3, 0, 1, 0], np.int8)
    lost = {
        name: replace(moved, numbers=np.where((np.arange(6) == 2)[:, None, None], np.nan, moved.numbers))
        for name, moved in batch.bodies.items()
    }
    found = cases_of(replace(batch, status=status, bodies=lost), LABELS)
    assert found.data["rows"] == [0, 1] and found.data["envelope"]["runs"] == 4
    assert any("lowest failed before it moved" in note for note in found.data["notes"])


def swinging(amplitude, dimension):
    """A cable of so many elements that swings by a half wave."""
    s, time, u = fm.System(gravity=(*(0.0,) * (dimension - 1), -9.81)), np.linspace(0.0, 1.0, 21), np.linspace(0.0, 1.0, 9)
    s.cable("rope", length=1.0, elements=8, section=fm.Section.circle(0.01), material=fm.Material(E=1e9, nu=0.3, density=1000.0))
    nodes = np.zeros((21, 9, 2, dimension))
    swing = amplitude * np.cos(6.0 * time)[:, None]
    nodes[:, :, 0, 0], nodes[:, :, 1, 0] = u, 1.0
    nodes[:, :, 0, 1], nodes[:, :, 1, 1] = swing * np.sin(np.pi * u), swing * np.pi * np.cos(np.pi * u)
    return made_up(s, {"rope": nodes.reshape(21, -1)}, time)


@pytest.mark.parametrize("dimension", [2, 3])
def test_along_a_cable_pieces_hold_the_nodes_of_all_runs(dimension):
    runs = [motion_of(swinging(x, dimension)) for x in (0.1, 0.12, 0.07)]
    from flexmbd.viewer.scene import Scene

    envelope = Envelope(Scene(runs[:1], ["nominal"]))
    for run in runs[1:]:
        envelope.take(run)
    assert envelope.count == 3 and len(envelope.pieces) == 8
    for piece in envelope.pieces:
        for run in runs:
            nodes = run.bodies["rope"].nodes[:, piece.first : piece.last + 1] - piece.origin[:, None]
            assert ((nodes @ piece.ways).max(axis=1) <= piece.most + 1e-12).all()
    middle = envelope.pieces[4]
    assert (middle.most - middle.base).max() == pytest.approx(0.03, rel=0.1), "0.1 by the nominal run, between 0.07 and 0.12"
    if dimension == 2:
        corners, _ = envelope.areas(0, 1.0)[4]
        inside = runs[1].bodies["rope"].nodes[0, 4]
        turned = np.roll(corners, -1, axis=0) - corners
        assert (np.cross(turned, inside - corners)[:, 2] >= -1e-12).all(), "corners run round it, counter-clockwise"


def test_the_part_of_a_page_has_words_that_are_text_and_scripts_of_at_most_150_kb(cases):
    evil = "</script><b>'\"&"
    data = cases.data | {"cases": [{"label": evil, "says": evil} for _ in LABELS], "still": cases.still(1, 0.02)}
    html, scene = block_html(data, evil), block_scene(data)
    assert "<b>" not in html and "</script>" not in scene and json.loads(scene)["cases"][0]["label"] == evil
    assert sum(map(len, block_scripts())) <= 150_000 and len(scene) < 200_000
    assert 'id="motion-view"' in html and "<svg" in html and "polygon" in html


def test_names_in_a_scene_are_those_of_its_format(cases):
    """Reports draw what earlier versions have kept: other names or meanings are another `FORMAT`."""
    names = {"top": set(cases.data), "run": set(cases.data["runs"][0]), "envelope": set(cases.data["envelope"])}
    assert (cases.data["format"], {key: " ".join(sorted(found)) for key, found in names.items()}) == (1, NAMES)
