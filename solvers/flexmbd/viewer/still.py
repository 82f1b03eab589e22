"""A picture of the start as SVG: for browsers without WebGL."""

import numpy as np

WIDTH, HEIGHT, MARGIN, MOST = 900.0, 560.0, 40.0, 4000


def still(motion, lines, planar, low, high):
    """SVG of lines, of which each has the body's name, points in its frame, a color, and a width.

    Parameters
    ----------
    motion : Motion
    lines : list of (str, ndarray (points, 3), str, float)
        Bodies with a centre line are drawn by it, others by these.
    planar : bool
        Seen along z, else from above and aside.
    low, high : ndarray (3,)
        Corners of all that is shown, m.
    """
    view = np.eye(3)[:2] if planar else np.array([(0.87, -0.5, 0.0), (-0.2, -0.35, 0.92)])
    corners = np.array([[(low, high)[(k >> i) & 1][i] for i in range(3)] for k in range(8)]) @ view.T
    size = np.maximum(corners.max(axis=0) - corners.min(axis=0), 1e-12)
    scale = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    middle = 0.5 * (corners.max(axis=0) + corners.min(axis=0))
    paths = []
    for name, points, color, wide in lines[:MOST]:
        body = motion.bodies[name]
        flat = (points @ body.rotation[0].T + body.position[0] if body.kind == "frame" else points) @ view.T
        x, y = scale * (flat - middle).T * np.array([[1.0], [-1.0]]) + np.array([[WIDTH / 2], [HEIGHT / 2]])
        where = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        paths.append(f'<polyline points="{where}" fill="none" stroke="{color}" stroke-width="{wide:g}" stroke-linecap="round"/>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="the mechanism at the start">'
    return head + "".join(paths) + "</svg>"
