"""Pages of motions: what is kept of a motion is the motion within what is said, and nothing in a name becomes part of the page."""

import base64
import importlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbd as fm
from flexmbd.viewer.looks import edges
from flexmbd.viewer.marks import KINDS
from flexmbd.viewer.packing import unpacked
from flexmbd.viewer.page import SCRIPTS, _text

from .shown_models import SHAPES, at_start, crank, long_rope, many, rope, shapes, socket, tilting, turning_grains


def data_of(text):
    """The scene that a page holds."""
    return json.loads(re.search(r'<script id="scene" type="application/json">(.*?)</script>', text, re.S).group(1))


# ---- pages
@pytest.fixture(scope="module")
def cranked():
    """Two samples of a slider-crank with play."""
    return fm.run(crank, {"clearance": [1e-3, 2e-4]}, end=0.05, points=101, outputs=["B.fx", "B.fy", "A.fx", "A.fy"], poses=True)


@pytest.fixture(scope="module")
def hung():
    """A rope with a load, in space."""
    return fm.run(rope(), end=0.2, points=21, outputs=[], poses=True)


def test_a_page_is_small_and_asks_no_network(cranked, tmp_path):
    viewer = fm.show(cranked, tmp_path / "crank.html", browser=False)
    text = viewer.path.read_text(encoding="utf-8")
    assert text == cranked.to_html() and len(text) < 200_000
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert sum(map(len, scripts)) <= 150_000
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//|@import|url\(|fetch\(|XMLHttpRequest|importScripts", text)
    assert "default-src 'none'" in text


def test_the_page_has_the_places_that_the_trajectory_has(cranked):
    scene = data_of(cranked.to_html(samples=[1, 0]))
    run, which = scene["runs"][0], [body["name"] for body in scene["bodies"]].index("rod")
    keys = run["keys"]
    times = np.frombuffer(base64.b64decode(keys["times"]), "<f4")
    own = np.abs(cranked.time - times[:, None]).argmin(axis=1)
    values, poses = unpacked(keys["tracks"][which], keys["count"]), cranked.of_sample(1).poses("rod")
    assert np.abs(values[:, :3] - poses.position[own]).max() < 1e-5
    assert np.abs(Rotation.from_quat(values[:, 3:]).as_matrix() - poses.rotation[own]).max() < 1e-4
    assert [one["label"] for one in scene["runs"]] == ["sample 1", "sample 0"]


def test_journals_are_where_they_are_in_their_bearings_and_the_factor_is_said(cranked):
    text = cranked.to_html()
    scene = data_of(text)
    (bearing,), run = scene["runs"][0]["bearings"], cranked.of_sample(0)
    assert bearing["clearance"] == 1e-3 and scene["play"] > 1 and f"drawn {scene['play']:g} times larger" in text
    assert scene["play"] * bearing["clearance"] <= 0.4 * bearing["radius"] * (1 + 1e-9)
    apart = scene["runs"][0]["apart"]
    found = np.hypot(*unpacked(apart["tracks"][0], apart["count"])[:, :2].T)
    rod, slider = run.poses("rod"), run.poses("slider")
    tip = rod.position + rod.rotation @ [0.06, 0.0, 0.0]
    assert abs(found.max() - np.linalg.norm(tip - slider.position, axis=1).max()) < 1e-6
    assert data_of(cranked.to_html(play=3.0))["play"] == 3


def test_forces_are_drawn_where_the_run_has_them(cranked):
    scene = data_of(cranked.to_html())
    assert [one["name"] for one in scene["runs"][0]["arrows"]] == ["A", "B"]
    assert [one["name"] for one in data_of(cranked.to_html(forces=["B"]))["runs"][0]["arrows"]] == ["B"]
    with pytest.raises(fm.ModelError, match=r"history of the force of 'O'; run it with outputs=\['O.fx', 'O.fy'\]"):
        cranked.to_html(forces=["O"])


def test_forces_are_at_the_body_that_they_act_on(cranked):
    """The contact's is that on the rod; where only the slider's pose is kept the opposite, on the slider."""
    both, one = (
        cranked if only is None else replace(cranked, bodies=only, elements=less) for only, less in ((None, None), without(cranked, "rod"))
    )
    forces = []
    for run, name in ((both, "rod"), (one, "slider")):
        scene = data_of(run.to_html(forces=["B"], samples=0))
        (arrow,), keys = scene["runs"][0]["arrows"], scene["runs"][0]["forces"]
        assert scene["bodies"][arrow["at"]["body"]]["name"] == name
        forces.append(unpacked(keys["tracks"][0], keys["count"]))
    assert np.abs(forces[0] + forces[1]).max() < 1e-4 * np.abs(forces[0]).max() > 0.0


def without(run, name):
    """Bodies of a run but one, and its elements on these."""
    kept = {key: body for key, body in run.bodies.items() if key != name}
    ends = [replace(x, ends={key: end for key, end in x.ends.items() if end[0] != name}) for x in run.elements]
    return kept, tuple(x for x in ends if x.ends)


def test_a_ball_that_lies_in_its_socket_is_pushed_up():
    run = fm.run(socket(), end=0.5, points=51, outputs=["joint.normal"], poses=True)
    scene = data_of(run.to_html())
    keys = scene["runs"][0]["forces"]
    last = unpacked(keys["tracks"][0], keys["count"])[-1]
    assert last[2] == pytest.approx(2.0 * 9.81, rel=0.02) and np.abs(last[:2]).max() < 1e-3 and scene["play"] > 1


def test_a_contact_in_space_pushes_by_its_components():
    """Of a ball that rolls down a slope: across it the weight's share, along it two sevenths of the other share."""
    s, slope = fm.System(gravity=(0.0, 0.0, -9.81)), 0.2
    normal = (np.sin(slope), 0.0, np.cos(slope))
    ball = s.body("ball", mass=2.0, inertia=(0.4 * 2.0 * 0.01,) * 3, position=tuple(0.1 * np.array(normal)))
    law = fm.Impenetrable(0.0, friction=0.5)
    s.add(fm.SpherePlane("floor", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.1, law, normal=normal))
    run = fm.run(s, end=0.1, points=11, outputs=["floor.fx", "floor.fy", "floor.fz"], poses=True, settings={"step": 1e-3})
    viewer = fm.Viewer(run)
    (arrow,), keys = viewer.data["runs"][0]["arrows"], viewer.data["runs"][0]["forces"]
    last = unpacked(keys["tracks"][0], keys["count"])[-1]
    weight, along = 2.0 * 9.81, np.array([np.cos(slope), 0.0, -np.sin(slope)])
    wanted = weight * np.cos(slope) * np.array(normal) - 2.0 / 7.0 * weight * np.sin(slope) * along
    assert np.allclose(last, wanted, atol=0.01 * weight) and viewer.scene.names[arrow["at"]["body"]] == "ball"


def test_a_journal_is_shown_where_it_is_at_both_ends_of_its_bearing():
    """It is aslant by 4 mrad, so that its axis is 0.4 mm further off at one end than at the other, which are 0.1 m apart."""
    viewer = fm.Viewer(at_start(tilting()))
    (bearing,), apart = viewer.data["runs"][0]["bearings"], viewer.data["runs"][0]["apart"]
    found = unpacked(apart["tracks"][0], apart["count"])[0]
    assert bearing["along"] == [0, 0, 1] and bearing["length"] == 0.1
    assert np.allclose(found, [2e-4 - 2e-4, 0.0, 0.0, 2e-4 + 2e-4, 0.0, 0.0], atol=1e-8)


def test_grains_in_the_plane_turn_with_their_shapes():
    viewer = fm.Viewer(turning_grains())
    keys = viewer.data["runs"][0]["keys"]
    assert viewer.data["runs"][0]["bodies"][0] == {"count": 2, "turns": True} and not viewer.scene.notes[1:]
    last = unpacked(keys["tracks"][0], keys["count"])[-1].reshape(4, 3)
    assert np.allclose(last, [(0, 0, 0), (1, 0, 0), (np.pi / 2, 0, 0), (-1.5 * np.pi, 0, 0)], atol=1e-4)


def test_what_is_round_in_a_drawing_has_centre_lines():
    s = fm.System()
    wheel = s.body("wheel", mass=1.0, inertia=0.1)
    wheel.show(fm.Cylinder(radius=0.2, length=0.1, position=(1.0, 0.0)), fm.Box(size=(1.0, 1.0, 1.0)))
    lines = np.array([line["points"] for line in fm.Viewer(at_start(s)).data["runs"][0]["lines"] if line["width"] == 1])
    assert lines.shape == (6, 2, 3) and np.allclose(lines.mean(axis=(0, 1)), [1.0, 0.0, 0.0])
    assert np.allclose(lines[:3, :, 0].max(), 1.25) and np.all(lines[:3, :, 1] == 0.0) and np.all(lines[3:, :, 0] == 1.0)


def test_a_run_state_by_state_is_shown_too():
    simulation = fm.compile(crank, {"clearance": [1e-3]}, outputs=[], end=0.02, poses=True)
    run, _ = simulation.go_on(simulation.start({"clearance": [1e-3]}), 0.01, points=11)
    scene = data_of(run.to_html())
    assert len(scene["bodies"]) == 4 and len(scene["runs"][0]["bearings"]) == 1 and scene["end"] == 0.01


def test_a_cable_keeps_nodes_and_slopes(hung):
    """Hermite's shape functions of the page's numbers are the centre line."""
    scene = data_of(hung.to_html())
    which = [body["name"] for body in scene["bodies"]].index("rope")
    keys, count = scene["runs"][0]["keys"], scene["runs"][0]["bodies"][which]["nodes"]
    values = unpacked(keys["tracks"][which], keys["count"])[-1]
    nodes, slopes = values[: 3 * count].reshape(-1, 3), values[3 * count : 6 * count].reshape(-1, 3)
    line = hung.centre_line("rope", 2).position[-1]
    middle = 0.5 * (nodes[1:] + nodes[:-1]) + 0.125 * (slopes[:-1] - slopes[1:])
    assert np.abs(nodes - line[::2]).max() < 1e-4 and np.abs(middle - line[1::2]).max() < 1e-4


def test_names_are_text():
    evil, title = "<!--<script>alert('x')<img\tonerror=alert(1)>", "</title></script><script>alert('x')</script>"
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body(evil, mass=1.0, inertia=0.1, points={"<b>&": (0.1, 0.0)})
    s.add(fm.Revolute('"><i>', s.ground.at(0.0, 0.0), rod["<b>&"]))
    run = fm.run(s, end=0.01, points=2, outputs=[], poses=True)
    text = run.to_html(title=title, trails=[f"{evil}.<b>&"])
    assert text.count("<script") == 3 and "<img" not in text and "<i>" not in text.split("<script", 1)[0]
    assert data_of(text)["bodies"][0]["name"] == evil


def test_a_run_that_failed_is_shown_to_there_and_it_is_said(cranked):
    moved = {name: replace(body, numbers=body.numbers.copy()) for name, body in cranked.bodies.items()}
    moved["rod"].numbers[0, 40:] = np.nan
    failed = replace(cranked, bodies=moved, status=np.array([1, 0], np.int8), message=["it <i>broke</i>", ""])
    text = failed.to_html(samples=[0])
    assert data_of(text)["end"] == pytest.approx(cranked.time[39], rel=1e-8)
    assert f"sample 0 is shown to {cranked.time[39]:.6g} s, where it ended: it &lt;i&gt;broke" in text
    moved["rod"].numbers[0] = np.nan
    with pytest.raises(fm.ModelError, match=r"sample 0 has no poses, for it failed before it moved: it <i>broke</i>; show another sample"):
        failed.to_html(samples=0)
    assert data_of(failed.to_html())["runs"][0]["label"] == "sample 1"  # the first that has not failed


WRONG = {
    "sample": ({"samples": [0, 2]}, "samples is [0, 2]; give numbers of runs from 0 to 1"),
    "trail": ({"trails": ["rad"]}, "trails has 'rad'; give bodies"),
    "point": ({"trails": ["rod.C"]}, "'rod' has no point 'C'; its points are 'A', 'B'"),
    "text": ({"trails": "rod"}, "trails is 'rod'; give a list of names"),
    "force": ({"forces": ["nothing"]}, "forces has 'nothing'"),
    "view": ({"view": {"azimuth": 1.0}}, "view is {'azimuth': 1.0}; give a dict with some of 'zoom', which are those in the plane"),
    "zoom": ({"view": {"zoom": 0}}, "view: zoom is 0; give a number above zero"),
    "play": ({"play": 0.0}, "play is 0.0; give the factor"),
}


@pytest.mark.parametrize("which", WRONG)
def test_wrong_options_are_told(which, cranked):
    options, said = WRONG[which]
    with pytest.raises(fm.ModelError) as error:
        cranked.to_html(**options)
    assert said in str(error.value)


@pytest.mark.parametrize("section", [0.1, ("w", 0.1), ("x", "y"), ("x",)])
def test_a_section_is_an_axis_and_a_place(section, hung):
    with pytest.raises(fm.ModelError, match=r"view: section is .*; give an axis and a place in m, such as \('y', 0.1\)"):
        hung.to_html(view={"section": section})


def test_without_poses_it_says_what_to_do(cranked):
    with pytest.raises(fm.ModelError, match="sample 0 has kept no poses, so there is nothing to show; run it with poses=True"):
        replace(cranked, bodies={}, elements=()).to_html()


def test_where_it_cannot_be_written_is_told(cranked, tmp_path):
    with pytest.raises(fm.ModelError, match=r"the page cannot be written to .*; give another path"):
        cranked.to_html(tmp_path / "no" / "folder.html")


def test_a_mechanism_of_five_thousand_bodies_is_thinned_and_it_is_said():
    text = many(5000).to_html()
    assert len(data_of(text)["bodies"]) == 1001 and "1,000 of 5,000 bodies are drawn, one of 5" in text and len(text) < 1_500_000


def test_a_cable_of_five_thousand_elements_is_thinned_and_keeps_its_form():
    text = long_rope(5000).to_html()
    scene = data_of(text)
    keys, count = scene["runs"][0]["keys"], scene["runs"][0]["bodies"][0]["nodes"]
    nodes, slopes = unpacked(keys["tracks"][0], keys["count"])[0].reshape(2, count, 3)
    assert count == 240 and "240 nodes are drawn of each of &#39;rope&#39;" in text and len(text) < 400_000
    middle = 0.5 * (nodes[1:] + nodes[:-1]) + 0.125 * (slopes[:-1] - slopes[1:])
    assert np.abs(middle[:, 1] - 0.1 * np.sin(np.pi * middle[:, 0])).max() < 2e-5


def test_a_notebook_gets_a_frame_and_a_browser_a_file(cranked, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    viewer = fm.show(cranked)
    assert viewer.path.is_file() and opened == [viewer.path.as_uri()]
    frame = viewer._repr_html_()
    assert frame.startswith('<iframe srcdoc="') and frame.count("<") == 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_picture_of_the_start_has_every_shape(dimension):
    text = shapes(dimension).to_html()
    picture = re.search(r"<svg.*?</svg>", text, re.S).group()
    assert all(f'stroke="{color}"' in picture for color in SHAPES)


def test_edges_of_a_mesh_are_drawn_where_it_bends():
    """Of a cube of twelve triangles the twelve edges, not the diagonals."""
    corner = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)], float)
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    found = edges(fm.Mesh(corner, [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]))
    assert len(found) == 12 and all(np.linalg.norm(b - a) == 1.0 for a, b in found)


@pytest.fixture(scope="module")
def scenes():
    """A small system for each element (`docs/element_scenes`)."""
    docs = str(Path(__file__).resolve().parents[2] / "docs")
    sys.path.insert(0, docs)
    try:
        return importlib.import_module("element_scenes").SCENES
    finally:
        sys.path.remove(docs)


def test_every_element_can_be_on_a_page_and_joints_and_surfaces_are_drawn(scenes):
    bare = []
    for name, make in scenes.items():
        viewer = fm.Viewer(at_start(make()))
        assert "<canvas" in viewer.to_html(), name
        marks, elements = viewer.scene.marks[0], [x.element for x in viewer.scene.motions[0].trajectory.elements]
        drawn = sum(map(len, (marks.dots, marks.lines, marks.planes, marks.links, marks.bearings, marks.guides)))
        if any(isinstance(x, kind) for x in elements for kind, _ in KINDS) and not drawn:
            bare.append(name)
    assert bare == []


def test_a_body_without_shapes_and_points_is_drawn_to_its_joints():
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.at(-0.5, 0.0)))
    s.add(fm.Spring("spring", rod.at(0.5, 0.0), s.ground.at(0.5, 1.0), stiffness=1.0))
    lines = [line["points"] for line in fm.Viewer(at_start(s)).data["runs"][0]["lines"] if line["width"] == 5]
    assert lines == [[[0, 0, 0], [-0.5, 0, 0]], [[0, 0, 0], [0.5, 0, 0]]]


def test_contacts_with_one_plane_share_it_and_it_reaches_as_far_as_they_come():
    s, law = fm.System(gravity=(0.0, -9.81)), fm.Hertz(1e6)
    for k, x in enumerate((0.0, 3.0)):
        s.add(fm.PointPlane(f"floor{k}", s.point_mass(f"p{k}", mass=1.0, position=(x, 0.5)).centre, s.ground.at(0.1 * k, 0.0), law))
    scene = fm.Viewer(at_start(s)).scene
    ((base, low, high),) = scene.marks[0].planes.values()
    assert np.allclose(base[1], (0.0, 1.0, 0.0)) and -2.0 < low[0] < 0.0 and 3.0 < high[0] < 5.0 and low[1] == high[1] == 0.0


def test_a_slider_and_its_walls_are_within_the_picture():
    """Walls reach 1.25 lengths of the slider to either side of it, as the page draws them."""
    s = fm.System()
    slider = s.body("slider", mass=1.0, inertia=0.1, position=(2.0, 0.0))
    s.add(fm.ClearanceTranslational("guide", slider.centre, s.ground.at(0.0, 0.0), 0.01, 0.4, 0.1, law=fm.Hertz(1e6)))
    scene = fm.Viewer(at_start(s)).scene
    assert np.allclose([scene.low[:2], scene.high[:2]], [(0.0, -0.1), (2.5, 0.1)], atol=1e-9)


def test_what_is_fixed_to_ground_is_within_the_picture():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=(1e-3,) * 3, position=(0.0, 0.0, 0.3))
    s.add(fm.SphereCylinder("drum", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.1, 1.0, fm.Hertz(1e6), length=3.0, inside=True))
    scene = fm.Viewer(at_start(s)).scene
    assert np.allclose(scene.high, [1.5, 1.0, 1.0], atol=5e-3) and np.allclose(scene.low, [-1.5, -1.0, -1.0], atol=5e-3)


def test_a_disc_that_a_contact_knows_is_within_the_picture():
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=1e-3, position=(0.0, 0.5))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.2, fm.Hertz(1e6)))
    scene = fm.Viewer(at_start(s)).scene
    assert np.allclose(scene.low, [-0.2, 0.0, 0.0]) and np.allclose(scene.high, [0.2, 0.7, 0.0])


def test_our_scripts_are_small_files():
    assert all(len(_text(f"{name}.js").splitlines()) < 260 for name in SCRIPTS) and len(_text("ogl.min.js")) < 64_000
    assert "public domain" in _text("ogl.LICENSE")
