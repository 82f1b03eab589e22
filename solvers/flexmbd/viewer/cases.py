"""Some runs of a batch, of which one at a time is looked at, and what all of them cover, as one scene: for reports of many runs."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.viewer.envelope import Envelope, points_of
from flexmbd.viewer.keys import Track, chosen
from flexmbd.viewer.motion import motion_of
from flexmbd.viewer.packing import short
from flexmbd.viewer.runs import SEEN
from flexmbd.viewer.scene import Scene
from flexmbd.viewer.still import lines_of, placed, sketched

FORMAT = 1  # of `Cases.data`: reports draw what an earlier version has kept, if it has the same names and meanings
NUMBERS, SMALL = 9_000, 2_000  # of a run: numbers of its motion, keys of its forces and of its clearances
MOST_POINTS = 8  # of a body, that are compared


@dataclass(frozen=True)
class Cases:
    """Runs as a scene.

    Attributes
    ----------
    scene : Scene
    data : dict
        As the page has it (`Scene.data`), with ``format``, ``envelope``, ``larger`` (by how much differences from the nominal run are
        drawn larger) and ``rows``: of which rows of the batch its runs are.
    envelope : Envelope
    """

    scene: Scene
    data: dict
    envelope: Envelope

    def still(self, number, time):
        """Picture of a run at a time (s) over the nominal one, and of what all runs cover; differences are drawn larger as the page does;
        for JSON, see `still.sketched`.

        Parameters
        ----------
        number : int
            Of the run in the scene; 0 draws the nominal one alone.
        time : float
            Of a run that has ended its last time is drawn.
        """
        scene, data, lines = self.scene, self.data, []
        nominal = scene.motions[0]
        own = int(np.abs(nominal.time - time).argmin())
        for k in (0, number) if number else (0,):
            motion = scene.motions[k]
            at, faint = int(np.abs(motion.time - time).argmin()), 0.35 if number and not k else 1.0
            for name, points, color, wide in lines_of(scene, data["runs"][k], k, at):
                body = nominal.bodies[name]
                base = body.nodes[own] if body.kind == "line" else placed(nominal, name, points, own)
                lines.append((base + data["larger"] * (placed(motion, name, points, at) - base), color, wide, faint))
        areas = self.envelope.areas(own, data["larger"]) if scene.planar else ()
        return sketched(lines, scene.planar, np.array(data["low"]), np.array(data["high"]), areas)


def cases_of(trajectory, labels):
    """A scene of a batch that was run with ``poses=True``.

    Parameters
    ----------
    trajectory : Trajectory
        Of a batch. The first runs are looked at, the first of all is the nominal one; all that are ok make the region that all cover.
    labels : list of str
        What the first runs are called.

    Returns
    -------
    Cases

    Raises
    ------
    ModelError
        If the nominal run has not moved, or there are no poses.
    """
    motions, rows, lost = [], [], []
    for row, label in enumerate(labels):
        try:
            motions.append(motion_of(trajectory.of_sample(row), label))
            rows.append(row)
        except ModelError:
            if not row:
                raise
            lost.append(label)
    scene = Scene(motions, [labels[row] for row in rows], numbers=NUMBERS, small=SMALL)
    envelope = Envelope(scene)
    for row in range(1, len(trajectory.status)):
        if trajectory.status[row] == 0:
            envelope.take(motions[rows.index(row)] if row in rows else motion_of(trajectory.of_sample(row)))
    larger = envelope.larger()
    scene.kept = common_keys(scene, larger)
    data = scene.data() | {"format": FORMAT, "envelope": envelope.data(larger), "larger": larger, "rows": rows}
    data |= {"beside": False, "playing": False}
    for run in data["runs"]:
        run["shift"] = [0.0, 0.0, 0.0]
    if box := envelope.box(larger):
        data["low"], data["high"] = short(np.minimum(scene.low, box[0])), short(np.maximum(scene.high, box[1]))
    data["notes"] += envelope.notes + [f"{label} failed before it moved" for label in lost]
    return Cases(scene, data, envelope)


def common_keys(scene, larger):
    """Times that are kept of all runs, so that what is drawn larger is the difference of runs and not of their keys; says them.

    Parameters
    ----------
    scene : Scene
    larger : float
        By how much differences from the first run are drawn larger.
    """
    nominal, *others = scene.motions
    tracks = [body.track(nominal.time, max(scene.reach[name], 0.02 * scene.size)) for name, body in nominal.bodies.items()]
    most = max(2, scene.most_numbers // sum(track.channels.shape[1] for track in tracks))
    for motion in others:
        if len(motion.time) == len(nominal.time):
            tracks += [Track(nominal.time, larger * apart(scene, nominal, motion, name)) for name in scene.names if name != "ground"]
    kept, off = chosen(tracks, SEEN * scene.size, most)
    few = f", fewer than the eye asks for: between them what is drawn is up to {off / scene.size:.1%} of the size of all off"
    scene.notes.append(f"{len(kept):,} of the {len(nominal.time):,} times are kept{few if off > SEEN * scene.size else ''}")
    return kept


def apart(scene, nominal, motion, name):
    """How far points of a body are from where the nominal run has them, (times, points, 3), m."""
    own, other = nominal.bodies[name], motion.bodies[name]
    if own.kind != "frame":
        return other.extent - own.extent
    points = points_of(scene, nominal, name)[:MOST_POINTS]
    return other.position[:, None] - own.position[:, None] + points @ np.swapaxes(other.rotation - own.rotation, 1, 2)
