"""Largest pressure of a film in closed form, over Sommerfeld's angle."""

from flexmbd.lanes import kernel, maximum, minimum, select, sqrt
from flexmbd.lubrication.half import direction_or_x


@kernel
def peak_over_angle(ex, ey, vx, vy, scale, g0, g1, g2):
    """Largest value of ``scale (a (eps + cos s) + b sin s) (g0 + g1 X + g2 X^2)``, ``X = 1 + eps cos s``, over s.

    With Sommerfeld's angle s, ``1 - eps cos t = (1 - eps^2)/(1 + eps cos s)`` (t from the line of centres E), ``v.n`` is the first factor
    over X: a is v's part along E, b = sqrt(1 - eps^2) times the part across.  The pressure is a trigonometric polynomial of degree three:
    the best of 24 places even in s, dense at the narrowest gap, and 24 even in t, dense at the widest; then Newton's method.
    """
    nx, ny = direction_or_x(ex, ey)
    square = ex * ex + ey * ey
    eps, root = sqrt(square), sqrt(maximum(1.0 - square, 0.0))
    a, b = vx * nx + vy * ny, root * (vy * nx - vx * ny)
    cos, sin, best = 1.0 + 0.0 * eps, 0.0 * eps, 0.0 * eps
    c, s = cos, sin
    for of_t in (0.0, 1.0) * 24:
        down = 1.0 / (1.0 - of_t * eps * c)
        along, across = down * (c - of_t * eps), down * (1.0 + of_t * (root - 1.0)) * s
        x = 1.0 + eps * along
        value = (a * (eps + along) + b * across) * (g0 + (g1 + g2 * x) * x)
        better = value > best
        cos, sin, best = select(better, along, cos), select(better, across, sin), select(better, value, best)
        c, s = 0.9914448613738104 * c - 0.13052619222005157 * s, 0.13052619222005157 * c + 0.9914448613738104 * s
    for _ in (0,) * 6:
        x = 1.0 + eps * cos
        f, f1 = a * (eps + cos) + b * sin, b * cos - a * sin
        g, slope = g0 + (g1 + g2 * x) * x, g1 + 2.0 * g2 * x
        h, hh = -slope * eps * sin, 2.0 * g2 * eps * eps * sin * sin - slope * eps * cos
        first, second = f1 * g + f * h, (a * eps - f) * g + 2.0 * f1 * h + f * hh
        bends = second < 0.0
        step = select(bends, -first / select(bends, second, -1.0), 0.0)
        half = 0.5 * minimum(maximum(step, -0.1), 0.1)  # turned by 2 atan(step/2)
        down = 1.0 / (1.0 + half * half)
        cos, sin = ((1.0 - half * half) * cos - 2.0 * half * sin) * down, ((1.0 - half * half) * sin + 2.0 * half * cos) * down
    x = 1.0 + eps * cos
    return scale * maximum((a * (eps + cos) + b * sin) * (g0 + (g1 + g2 * x) * x), best)
