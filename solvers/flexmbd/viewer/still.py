"""Pictures of a mechanism as SVG: for browsers without WebGL, and for printed pages."""

from html import escape

import numpy as np

from flexmbd.bodies.shapes import Polyline
from flexmbd.viewer.looks import GROUND, edges

WIDTH, HEIGHT, MARGIN, MOST = 900.0, 560.0, 40.0, 4000
START = "the mechanism at the start"


def still(motion, lines, planar, low, high):
    """SVG of the start, by lines of which each has the body's name, points in its frame, a color, and a width.

    Parameters
    ----------
    motion : Motion
    lines : list of (str, ndarray (points, 3), str, float)
        Of `lines_of`.
    planar : bool
        Seen along z, else from above and aside.
    low, high : ndarray (3,)
        Corners of all that is shown, m.
    """
    at_start = [(placed(motion, name, points, 0), color, wide, 1.0) for name, points, color, wide in lines]
    return svg(sketched(at_start, planar, low, high), START)


def lines_of(scene, said, number=0, at=0):
    """Lines that a run of a scene is drawn by in a still picture: (body, points, color, width).

    Parameters
    ----------
    scene : Scene
    said : dict
        What the page is told of this run (`runs.run_data`).
    number : int
        Of the run.
    at : int
        Number of a time; cables and beams are drawn by their nodes then.
    """
    motion, found = scene.motions[number], []
    for line in said["lines"]:
        found.append((scene.names[line["body"]], np.array(line["points"]), line.get("color", GROUND), line["width"]))
    for name in scene.names:
        rest = [shape for shape in scene.shapes[name] if not scene.planar or isinstance(shape, Polyline)]
        if motion.bodies[name].kind == "frame":
            found += [(name, line, shape.color or scene.colors[name], 2.0) for shape in rest for line in edges(shape)]
        if motion.bodies[name].kind == "line":
            found.append((name, motion.bodies[name].nodes[at], scene.colors[name], 3.0))
    return found


def placed(motion, name, points, at):
    """Points of a body at a time, (points, 3); those of a line are there already."""
    body = motion.bodies[name]
    return points @ body.rotation[at].T + body.position[at] if body.kind == "frame" else points


def sketched(lines, planar, low, high, areas=()):
    """A picture as numbers, for JSON: pixels of lines (points, color, width, opacity) and of areas (points, color) below them.

    Points are (n, 3), in the inertial frame, m.
    """
    view = np.eye(3)[:2] if planar else np.array([(0.87, -0.5, 0.0), (-0.2, -0.35, 0.92)])
    corners = np.array([[(low, high)[(k >> i) & 1][i] for i in range(3)] for k in range(8)]) @ view.T
    size = np.maximum(corners.max(axis=0) - corners.min(axis=0), 1e-12)
    scale = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    height = float(np.clip(round(scale * size[1] + 2 * MARGIN), 0.25 * WIDTH, HEIGHT))
    middle = 0.5 * (corners.max(axis=0) + corners.min(axis=0))

    def seen(points):
        return (scale * (points @ view.T - middle) * (1.0, -1.0) + (WIDTH / 2, height / 2)).round(1).tolist()

    drawn = [[seen(points), color, wide, opacity] for points, color, wide, opacity in lines[:MOST]]
    return {"height": height, "lines": drawn, "areas": [[seen(points), color] for points, color in areas]}


def svg(sketch, words):
    """The SVG of what `sketched` gave, whose colors may be any text; `words` say what is seen."""
    paths = [f'<polygon points="{_pairs(points)}" fill="{escape(color)}" fill-opacity="0.2"/>' for points, color in sketch["areas"]]
    for points, color, wide, opacity in sketch["lines"]:
        faint = f' stroke-opacity="{opacity:g}"' if opacity < 1.0 else ""
        stroke = f'stroke="{escape(color)}" stroke-width="{wide:g}" stroke-linecap="round"{faint}'
        paths.append(f'<polyline points="{_pairs(points)}" fill="none" {stroke}/>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {sketch["height"]:g}" role="img" aria-label="{escape(words)}">'
    return head + "".join(paths) + "</svg>"


def _pairs(points):
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
