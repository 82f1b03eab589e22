"""Film between ball and socket in closed form, all round or on half of the sphere; theory: docs/theory/spherical_films.md."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError
from flexmbd.lanes import kernel, sqrt
from flexmbd.lubrication.base import EXTENTS, FilmKernels
from flexmbd.lubrication.full import full_force, full_tangent
from flexmbd.lubrication.half import direction_or_x, turned_back
from flexmbd.lubrication.spherical.base import SocketFilm, socket_shear, socket_shear_tangent
from flexmbd.lubrication.spherical.moments import HELPERS, area_function, hemisphere_moments


@kernel
def socket_full_parts(x, y, c, R, viscosity, length):
    """g, h of ``full_force`` for E = (x, y)/c, and their derivatives by |E|^2."""
    s = (x * x + y * y) / (c * c)
    k = 1.0 - s
    t0, t1, t2, t3 = area_function(s, k)
    ratio = R / c
    scale = 37.69911184307752 * viscosity * length * ratio * ratio * ratio
    i = 1.0 / (4.0 + s)
    p = (t0 - k * t1) * i
    slope = (2.0 * t1 - k * t2 - p) * i
    return 4.0 * scale * p, scale * (p + 4.0 * t1 - 2.0 * k * t2), 4.0 * scale * slope, scale * (slope + 6.0 * t2 - 2.0 * k * t3)


@kernel
def socket_full_force(x, y, u, w, c, R, viscosity, length):
    """Force of the pressure on the whole sphere."""
    g, h, _, _ = socket_full_parts(x, y, c, R, viscosity, length)
    return full_force(x / c, y / c, u, w, g, h)


@kernel
def socket_full_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``socket_full_force``."""
    g, h, dg, dh = socket_full_parts(x, y, c, R, viscosity, length)
    xx, xy, xu, xw, yx, yy, yu, yw = full_tangent(x / c, y / c, u, w, g, h, dg, dh)
    return xx / c, xy / c, xu, xw, yx / c, yy / c, yu, yw


@kernel
def socket_half_parts(a, b):
    """``J_ij = int (n.m)^i (n.m')^j (1 + H)/H^2`` over the hemisphere (J_20, J_11, J_02), and the derivatives of J_20 by a,
    of J_20 by b (which is that of J_11 by a) and of J_11 by b; from ``hemisphere_moments``, by Gauss' theorem on the sphere."""
    c, ca, cb, caa, cab, cbb, caaa, caab, cabb = hemisphere_moments(a, b)
    p = 1.0 - a * a
    q = 1.0 - b * b
    ab = a * b
    whole = 2.0 * c + a * ca + b * cb + ab * cab
    return (
        0.5 * (whole + 3.0 * a * ca - p * caa),
        0.5 * (3.0 * b * ca + ab * caa - q * cab),
        0.5 * (whole + 3.0 * b * cb - q * cbb),
        0.5 * (6.0 * ca + 6.0 * a * caa + 2.0 * b * cab - p * caaa + ab * caab),
        0.5 * (4.0 * b * caa + ab * caaa - q * caab),
        0.5 * (3.0 * ca + a * caa + 5.0 * b * cab + ab * caab - q * cabb),
    )


@kernel
def socket_half_force(x, y, u, w, c, R, viscosity, length):
    """-3 mu R^4/c^3 |Q| (J_20 m + J_11 m')/(4 + E^2), m along Q = 4 V + (E.V) E, m' its normal, J_ij with a = E.m, b = E.m'."""
    ex, ey, ratio = x / c, y / c, R / c
    along = ex * u + ey * w
    qu, qw = 4.0 * u + along * ex, 4.0 * w + along * ey
    mx, my = direction_or_x(qu, qw)
    parts = socket_half_parts(ex * mx + ey * my, ey * mx - ex * my)
    size = 3.0 * viscosity * length * ratio * ratio * ratio * sqrt(qu * qu + qw * qw) / (4.0 + ex * ex + ey * ey)
    return -size * (parts[0] * mx - parts[1] * my), -size * (parts[0] * my + parts[1] * mx)


@kernel
def socket_half_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``socket_half_force``; at V = 0, where it has a kink, those along x."""
    ex, ey, ratio = x / c, y / c, R / c
    along = ex * u + ey * w
    qu, qw = 4.0 * u + along * ex, 4.0 * w + along * ey
    size = sqrt(qu * qu + qw * qw)
    mx, my = direction_or_x(qu, qw)
    parts = socket_half_parts(ex * mx + ey * my, ey * mx - ex * my)
    inverse = 1.0 / (4.0 + ex * ex + ey * ey)
    scale = -3.0 * viscosity * length * ratio * ratio * ratio * inverse
    nx = 2.0 * inverse * size * (parts[0] * mx - parts[1] * my)
    ny = 2.0 * inverse * size * (parts[0] * my + parts[1] * mx)
    xx, xy, yy = turned_back(scale * parts[0], scale * parts[1], scale * parts[2], mx, my)  # by Q
    by = scale / c
    pxx, pxy, pyy = turned_back(size * parts[3], size * parts[4], size * parts[5], mx, my)  # by E at fixed Q
    du, dw = xx * ex + xy * ey, xy * ex + yy * ey
    eu, ew, turn = u / c, w / c, along / c
    return (
        by * (pxx - nx * ex) + du * eu + turn * xx,
        by * (pxy - nx * ey) + du * ew + turn * xy,
        4.0 * xx + du * ex,
        4.0 * xy + du * ey,
        by * (pxy - ny * ex) + dw * eu + turn * xy,
        by * (pyy - ny * ey) + dw * ew + turn * yy,
        4.0 * xy + dw * ex,
        4.0 * yy + dw * ey,
    )


HALF = (*HELPERS, direction_or_x, turned_back, socket_half_parts)


@dataclass(frozen=True, eq=False)
class SphericalFilm(SocketFilm):
    r"""Ball in a whole socket: pressure ``3 mu R^2 (c + h) Q.n/((4 + E^2) c^2 h^2)`` with ``h = c - e.n``, ``Q = 4 V + (E.V) E``, E = e/c.

    Along the line of centres the half film is the hemisphere of Pinkus and Sternlicht, ``F = -6 pi mu R V (R/c)^3 [ln(1 - eps)/eps^3 +
    1/(eps^2 (1 - eps)) - 1/(2 eps)]``.

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    extent : str
        ``"full"``: pressures below zero are kept; ``"half"``: pressure only where Q.n > 0, which is half of the sphere.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, -3e-5), points={"O": (-0.5, 0.0, 0.0)})
    >>> film = fm.SphericalFilm(0.04)
    >>> ball = s.add(fm.ClearanceSpherical("ball", arm["O"], s.ground.at(0.0, 0.0, 0.0), 5e-5, bearing_radius=0.02, law=None, film=film))
    >>> fm.output_units(s)["ball.film_force"]
    'N'
    """

    name: ClassVar[str] = "spherical"
    reference: ClassVar[str] = "Pinkus and Sternlicht 1961 (squeeze); Flores and Lankarani 2010, Nonlinear Dyn. 60, 99-114"

    extent: str = "half"

    def __post_init__(self):
        super().__post_init__()
        if self.extent not in EXTENTS:
            raise ModelError(f"film '{self.name}': extent is {self.extent!r}; it must be 'full' or 'half'", element=self.name)

    def kernels(self):
        """Force, tangent and shear."""
        shear = {"shear": socket_shear, "shear_tangent": socket_shear_tangent}
        if self.extent == "full":
            return FilmKernels(
                socket_full_force, socket_full_tangent, (area_function, socket_full_parts, full_force, full_tangent), **shear
            )
        return FilmKernels(socket_half_force, socket_half_tangent, HALF, **shear)
