"""Film of an infinitely long bearing (Sommerfeld, Gümbel)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lanes import kernel, sqrt
from flexmbd.lubrication.base import ExtentFilm, FilmKernels
from flexmbd.lubrication.full import full_force, full_tangent
from flexmbd.lubrication.half import HELPERS, direction_or_x, half_moments, turned_back
from flexmbd.lubrication.peak import peak_over_angle


@kernel
def long_coefficients(x, y, c, R, viscosity, length):
    """g and h of ``full_force`` for the full film, and 1 - E^2."""
    n = (x * x + y * y) / (c * c)
    k = 1.0 - n
    ratio = R / c
    g = 75.39822368615503 * viscosity * length * ratio * ratio * ratio / ((2.0 + n) * sqrt(k))
    return g, 1.5 * g / k, k


@kernel
def long_full_force(x, y, u, w, c, R, viscosity, length):
    """-12 pi mu L R^3/c^3 (2 V/k^(1/2) + 3 (E.V) E/k^(3/2))/(2 + E^2), k = 1 - E^2."""
    g, h, _ = long_coefficients(x, y, c, R, viscosity, length)
    return full_force(x / c, y / c, u, w, g, h)


@kernel
def long_full_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``long_full_force``."""
    g, h, k = long_coefficients(x, y, c, R, viscosity, length)
    dg = g * (0.5 / k - 1.0 / (3.0 - k))
    dh = h * (1.5 / k - 1.0 / (3.0 - k))
    xx, xy, xu, xw, yx, yy, yu, yw = full_tangent(x / c, y / c, u, w, g, h, dg, dh)
    return xx / c, xy / c, xu, xw, yx / c, yy / c, yu, yw


@kernel
def long_half_parts(a, b):
    """``D_ij = int cos^i sin^j (1 + H)/H^2`` over half the circumference (D_20, D_11, D_02), and the derivatives of D_20 by a,
    of D_20 by b (which is that of D_11 by a) and of D_11 by b; from the integrals of ``half_moments``."""
    c00, c10, c01, c20, c11, c02, c30, c21, c12 = half_moments(a, b)
    d = 2.0 - 2.0 * b * b
    ab = 2.0 * a * b
    d20 = d * c02 - ab * c11 - 3.0 * b * c01
    d11 = ab * c20 - d * c11 + 3.0 * b * c10
    return (
        d20,
        d11,
        2.0 * c00 + a * c10 + b * c01 - d20,
        d * c12 - 8.0 * b * c11 - ab * c21,
        8.0 * b * c20 - d * c21 + ab * c30,
        10.0 * b * c11 - d * c12 + 2.0 * a * c20 + ab * c21 + 3.0 * c10,
    )


@kernel
def long_half_force(x, y, u, w, c, R, viscosity, length):
    """-6 mu L R^3/c^3 |Q| (D_20 m + D_11 m')/(2 + E^2), m along Q = 2 V + (E.V) E, m' its normal, D_ij with a = E.m, b = E.m'."""
    ex, ey, ratio = x / c, y / c, R / c
    along = ex * u + ey * w
    qu, qw = 2.0 * u + along * ex, 2.0 * w + along * ey
    mx, my = direction_or_x(qu, qw)
    parts = long_half_parts(ex * mx + ey * my, ey * mx - ex * my)
    size = 6.0 * viscosity * length * ratio * ratio * ratio * sqrt(qu * qu + qw * qw) / (2.0 + ex * ex + ey * ey)
    return -size * (parts[0] * mx - parts[1] * my), -size * (parts[0] * my + parts[1] * mx)


@kernel
def long_half_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``long_half_force``; at V = 0, where it has a kink, those along x."""
    ex, ey, ratio = x / c, y / c, R / c
    along = ex * u + ey * w
    qu, qw = 2.0 * u + along * ex, 2.0 * w + along * ey
    size = sqrt(qu * qu + qw * qw)
    mx, my = direction_or_x(qu, qw)
    parts = long_half_parts(ex * mx + ey * my, ey * mx - ex * my)
    inverse = 1.0 / (2.0 + ex * ex + ey * ey)
    scale = -6.0 * viscosity * length * ratio * ratio * ratio * inverse
    nx = 2.0 * inverse * size * (parts[0] * mx - parts[1] * my)
    ny = 2.0 * inverse * size * (parts[0] * my + parts[1] * mx)
    quu, quw, qww = turned_back(parts[0], parts[1], parts[2], mx, my)  # by Q
    pxx, pxy, pyy = turned_back(size * parts[3], size * parts[4], size * parts[5], mx, my)  # by E at fixed Q
    quu, quw, qww, by = scale * quu, scale * quw, scale * qww, scale / c
    ex_u, ey_u = (quu * ex + quw * ey) / c, (quw * ex + qww * ey) / c
    du, dw = quu * ex + quw * ey, quw * ex + qww * ey
    turn = along / c
    return (
        by * (pxx - nx * ex) + ex_u * u + turn * quu,
        by * (pxy - nx * ey) + ex_u * w + turn * quw,
        2.0 * quu + du * ex,
        2.0 * quw + du * ey,
        by * (pxy - ny * ex) + ey_u * u + turn * quw,
        by * (pyy - ny * ey) + ey_u * w + turn * qww,
        2.0 * quw + dw * ex,
        2.0 * qww + dw * ey,
    )


@kernel
def long_peak(x, y, u, w, c, R, viscosity, length):
    """Largest of 6 mu R^2 (c + h) Q.n/((2 + E^2) c^2 h^2): with 1/h by Sommerfeld's angle."""
    ex, ey = x / c, y / c
    n = ex * ex + ey * ey
    k = 1.0 - n
    along = ex * u + ey * w
    scale = 6.0 * viscosity * R * R / ((2.0 + n) * c * c * c * k * k)
    return peak_over_angle(ex, ey, 2.0 * u + along * ex, 2.0 * w + along * ey, scale, k, 1.0 + 0.0 * k, 0.0 * k)


@dataclass(frozen=True, eq=False)
class LongFilm(ExtentFilm):
    r"""Long bearing: pressure ``6 mu R^2 (c + h) Q.n/((2 + E^2) c^2 h^2)`` with ``h = c - e.n``, ``E = e/c``, ``Q = 2 V + (E.V) E``
    (Sommerfeld 1904; with squeeze Booker 1965, J. Basic Eng. 87, 537).

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    length : float or ndarray
        Of the bearing in m; the formula is good for lengths above twice the diameter.
    extent : str
        ``"full"``: pressures below zero are kept; ``"half"``: pressure only where Q.n > 0, which is half the circumference; at rest
        Gümbel's film from the widest gap to the narrowest.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01, position=(6e-5, 0.0), velocity=(0.01, 0.0), fixed=("velocity",))
    >>> film = fm.LongFilm(0.04, length=0.04)
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, film=film))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.film_fx", *e.initial())), 3)  # N, squeezed at 10 mm/s
    -1010.362
    """

    name: ClassVar[str] = "long"
    reference: ClassVar[str] = "Sommerfeld 1904, Z. Math. Phys. 50, 97-155; Booker 1965, J. Basic Eng. 87, 537-546"

    def kernels(self):
        """Force and tangent."""
        if self.extent == "full":
            helpers = (long_coefficients, full_force, full_tangent, direction_or_x, peak_over_angle)
            return FilmKernels(long_full_force, long_full_tangent, helpers, peak=long_peak)
        return FilmKernels(long_half_force, long_half_tangent, (*HELPERS, long_half_parts, peak_over_angle), peak=long_peak)
