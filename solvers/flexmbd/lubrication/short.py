"""Film of a short bearing (Ocvirk)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lanes import kernel, sqrt
from flexmbd.lubrication.base import ExtentFilm, FilmKernels
from flexmbd.lubrication.full import full_force, full_tangent
from flexmbd.lubrication.half import HELPERS, direction_or_x, half_moments, turned_back
from flexmbd.lubrication.peak import peak_over_angle


@kernel
def short_full_force(x, y, u, w, c, R, viscosity, length):
    """-pi mu R L^3/c^3 (V/k^(3/2) + 3 (E.V) E/k^(5/2)), k = 1 - E^2."""
    ex, ey = x / c, y / c
    k = 1.0 - ex * ex - ey * ey
    g = 3.141592653589793 * viscosity * R * length * length * length / (c * c * c * k * sqrt(k))
    return full_force(ex, ey, u, w, g, 3.0 * g / k)


@kernel
def short_full_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``short_full_force``."""
    ex, ey = x / c, y / c
    k = 1.0 - ex * ex - ey * ey
    g = 3.141592653589793 * viscosity * R * length * length * length / (c * c * c * k * sqrt(k))
    xx, xy, xu, xw, yx, yy, yu, yw = full_tangent(ex, ey, u, w, g, 3.0 * g / k, 1.5 * g / k, 7.5 * g / (k * k))
    return xx / c, xy / c, xu, xw, yx / c, yy / c, yu, yw


@kernel
def short_half_force(x, y, u, w, c, R, viscosity, length):
    """-mu R L^3/c^3 |V| (C_20 m + C_11 m'), m along V, m' its normal, C_ij with a = E.m, b = E.m'."""
    mx, my = direction_or_x(u, w)
    moments = half_moments((x * mx + y * my) / c, (y * mx - x * my) / c)
    size = viscosity * R * length * length * length / (c * c * c) * sqrt(u * u + w * w)
    return -size * (moments[3] * mx - moments[4] * my), -size * (moments[3] * my + moments[4] * mx)


@kernel
def short_half_tangent(x, y, u, w, c, R, viscosity, length):
    """Derivatives of ``short_half_force``; at V = 0, where it has a kink, those along x."""
    mx, my = direction_or_x(u, w)
    moments = half_moments((x * mx + y * my) / c, (y * mx - x * my) / c)
    scale = viscosity * R * length * length * length / (c * c * c)
    place = -scale * sqrt(u * u + w * w) / c
    xx, xy, yy = turned_back(moments[6], moments[7], moments[8], mx, my)
    uu, uw, ww = turned_back(moments[3], moments[4], moments[5], mx, my)
    return place * xx, place * xy, -scale * uu, -scale * uw, place * xy, place * yy, -scale * uw, -scale * ww


@kernel
def short_peak(x, y, u, w, c, R, viscosity, length):
    """Largest of 1.5 mu L^2 V.n/h^3: with 1/h by Sommerfeld's angle."""
    ex, ey = x / c, y / c
    k = 1.0 - ex * ex - ey * ey
    return peak_over_angle(ex, ey, u, w, 1.5 * viscosity * length * length / (c * c * c * k * k * k), 0.0 * k, 0.0 * k, 1.0 + 0.0 * k)


@kernel
def short_flow(x, y, u, w, c, R, viscosity, length):
    """2 R L |V|: V.n L/2 at each end, where V.n > 0; the full film takes as much in on the other side."""
    return 2.0 * R * length * sqrt(u * u + w * w)


@dataclass(frozen=True, eq=False)
class ShortFilm(ExtentFilm):
    r"""Short bearing: pressure ``6 mu V.n/h^3 (L^2/4 - z^2)``, ``h = c - e.n`` (Ocvirk 1952, NACA TN 2808; with squeeze Booker 1965,
    J. Basic Eng. 87, 537).

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    length : float or ndarray
        Of the bearing in m; the formula is good for lengths up to half the diameter.
    extent : str
        ``"full"``: pressures below zero are kept; ``"half"``: pressure only where V.n > 0, which is half the circumference.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01, position=(6e-5, 0.0), velocity=(0.01, 0.0), fixed=("velocity",))
    >>> film = fm.ShortFilm(0.04, length=0.01)
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, film=film))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.film_fx", *e.initial())), 3)  # N, squeezed at 10 mm/s
    -64.07
    """

    name: ClassVar[str] = "short"
    reference: ClassVar[str] = "Ocvirk 1952, NACA TN 2808; Booker 1965, J. Basic Eng. 87, 537-546"

    def kernels(self):
        """Force and tangent."""
        if self.extent == "full":
            helpers = (full_force, full_tangent, direction_or_x, peak_over_angle)
            return FilmKernels(short_full_force, short_full_tangent, helpers, peak=short_peak, flow=short_flow)
        return FilmKernels(short_half_force, short_half_tangent, (*HELPERS, peak_over_angle), peak=short_peak, flow=short_flow)
