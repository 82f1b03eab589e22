"""Squeeze-and-wedge formula of Pinkus and Sternlicht for a long bearing, as used by Flores and others."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lanes import fabs, kernel, select, sqrt
from flexmbd.lubrication.base import FilmKernels, FormulaFilm
from flexmbd.lubrication.full import full_force, full_tangent


@kernel
def pinkus_parts(x, y, u, w, c, R, viscosity, length):
    """g, h of ``full_force``, the wedge's push j, the share f; and of what they are made: E.V, |V|, sqrt(1 - E^2), divisor of f."""
    ex, ey, ratio = x / c, y / c, R / c
    n = ex * ex + ey * ey
    root = sqrt(1.0 - n)
    base = viscosity * length * ratio * ratio * ratio / ((2.0 + n) * root)
    along = ex * u + ey * w
    squared = u * u + w * w
    speed = sqrt(select(squared > 1e-200, squared, 1e-200))
    divisor = root * speed + 1.5 * fabs(along)
    g = 37.69911184307752 * base
    return g, 1.5 * g / (1.0 - n), 24.0 * base / root, 1.0 + 1.5 * along / divisor, along, speed, root, divisor


@kernel
def pinkus_force(x, y, u, w, c, R, viscosity, length):
    """-f (g V + h (E.V) E + j |V| E)."""
    g, h, j, f, _, _, _, _ = pinkus_parts(x, y, u, w, c, R, viscosity, length)
    fx, fy = full_force(x / c, y / c, u, w, g, h)
    push = j * sqrt(u * u + w * w) / c
    return f * (fx - push * x), f * (fy - push * y)


@kernel
def pinkus_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``pinkus_force``."""
    g, h, j, f, along, speed, root, divisor = pinkus_parts(x, y, u, w, c, R, viscosity, length)
    ex, ey, k = x / c, y / c, root * root
    dn = -1.0 / (3.0 - k)
    fx, fy = full_force(ex, ey, u, w, g, h)
    fx, fy = fx - j * speed * ex, fy - j * speed * ey
    xx, xy, xu, xw, yx, yy, yu, yw = full_tangent(ex, ey, u, w, g, h, g * (0.5 / k + dn), h * (1.5 / k + dn))
    push, more = j * speed, 2.0 * j * speed * (1.0 / k + dn)
    iu, iw = j * u / speed, j * w / speed
    xx, xy, xu, xw = xx - push - more * ex * ex, xy - more * ex * ey, xu - iu * ex, xw - iw * ex
    yx, yy, yu, yw = yx - more * ex * ey, yy - push - more * ey * ey, yu - iu * ey, yw - iw * ey
    square = 1.5 / (divisor * divisor)
    by_along = square * root * speed
    by_speed = -square * along * root / speed
    by_root = square * along * speed / root
    sx, sy = by_along * u + by_root * ex, by_along * w + by_root * ey
    su, sw = by_along * ex + by_speed * u, by_along * ey + by_speed * w
    return (
        (f * xx + fx * sx) / c,
        (f * xy + fx * sy) / c,
        f * xu + fx * su,
        f * xw + fx * sw,
        (f * yx + fy * sx) / c,
        (f * yy + fy * sy) / c,
        f * yu + fy * su,
        f * yw + fy * sw,
    )


@dataclass(frozen=True, eq=False)
class PinkusSternlicht(FormulaFilm):
    r"""Long bearing without negative pressure, by the two formulas for the journal approaching and leaving the bearing.

    With the radial and tangential part of V, ``k = sqrt(1 - eps^2) |V| / (eps |V_r|)`` and ``G = mu L R^3 / c^3``::

        F_r = -6 G f (4 eps sqrt(1 - eps^2) |V| + (2 + eps^2) pi V_r) / ((2 + eps^2) (1 - eps^2)^(3/2))
        F_t = -12 pi G f V_t / ((2 + eps^2) (1 - eps^2)^(1/2))
        f = (k + 3)/(k + 3/2) for V_r > 0, k/(k + 3/2) for V_r < 0

    `f` makes the film the full one where the journal approaches fast at a large eccentricity, and none where it leaves; force and tangent
    are continuous where V_r passes zero.  See docs/theory/lubrication.md for the sign at V_r < 0.

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    length : float or ndarray
        Of the bearing in m; the formula is good for lengths above twice the diameter.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01, position=(6e-5, 0.0), velocity=(0.01, 0.0), fixed=("velocity",))
    >>> film = fm.PinkusSternlicht(0.04, length=0.04)
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, film=film))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.film_fx", *e.initial())), 3)  # N, squeezed at 10 mm/s
    -1134.198
    """

    name: ClassVar[str] = "pinkus_sternlicht"
    reference: ClassVar[str] = "Pinkus and Sternlicht 1961; Flores et al. 2009, Nonlinear Dyn. 56, 277-295"

    def kernels(self):
        """Force and tangent."""
        return FilmKernels(pinkus_force, pinkus_tangent, (pinkus_parts, full_force, full_tangent))
