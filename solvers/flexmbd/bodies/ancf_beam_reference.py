"""The undeformed beam: a line of constant curvature (straight, twisted, arc, helix), and its strains by an element's shapes."""

import numpy as np

from flexmbd.bodies.ancf_beam_element import GAUSS, shapes, slopes
from flexmbd.language.quadratic import cross3

REFERENCE = tuple(f"reference{g}.{k}" for g in range(2) for k in range(6))


def frame_at(frame, curvature, s):
    """Place from the start, and three directors, at arc length s; `frame` are those at the start, `curvature` components in the section.

    The directors turn as ``d' = (K1 d1 + K2 d2 + K3 d3) x d``, and ``r' = d1``.
    """
    axis = [sum(c * d[i] for c, d in zip(curvature, frame, strict=True)) for i in range(3)]
    size = np.sqrt(sum(x * x for x in axis))
    angle = size * s
    sine, cosine = np.sinc(angle / np.pi), 0.5 * np.sinc(0.5 * angle / np.pi) ** 2  # sin x/x and (1 - cos x)/x²
    squared = angle * angle
    series = 1.0 / 6.0 - squared * (1.0 / 120.0 - squared * (1.0 / 5040.0 - squared / 362880.0))
    rest = np.where(np.abs(angle) < 0.1, series, (1.0 - sine) / np.where(squared > 0.0, squared, 1.0))  # (x - sin x)/x³

    def mixed(x, one, two, three):
        turned = cross3(axis, x)
        return tuple(_number(one * a + two * b + three * c) for a, b, c in zip(x, turned, cross3(axis, turned), strict=True))

    return mixed(frame[0], s, cosine * s * s, rest * s * s * s), [mixed(d, 1.0, sine * s, cosine * s * s) for d in frame]


def reference(curvature, length):
    """Measures of strain at the two points of an element of a length, by key; all elements of constant curvature are alike."""
    unit, out = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], []
    nodes = [(arm, *frame[1:]) for arm, frame in (frame_at(unit, curvature, 0.5 * k * length) for k in range(3))]
    samples = np.array([np.stack(np.broadcast_arrays(*(x for v in node for x in v), length)[:9]) for node in nodes])
    samples = samples.reshape(3, 3, 3, *samples.shape[2:])  # node, vector, component, sample
    for x in GAUSS:
        (_, a, b), (p, u, w) = (np.tensordot(f, samples, 1) for f in (shapes(x), slopes(x)))
        p, i, j = p / length, 1.0 / np.sqrt(_dot(a, a)), 1.0 / np.sqrt(_dot(b, b))
        a, u, b, w = i * a, i * u / length, j * b, j * w / length
        n = np.cross(a, b, axis=0)
        out += [_dot(p, n), _dot(p, a), _dot(p, b), 0.5 * (_dot(u, b) - _dot(w, a)), _dot(w, n), -_dot(u, n)]
    return dict(zip(REFERENCE, map(_number, out), strict=True))


def _dot(x, y):
    return np.sum(x * y, axis=0)


def _number(x):
    return float(x) if np.ndim(x) == 0 else x
