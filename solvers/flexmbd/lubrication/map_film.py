"""Film that evaluates a film map in lanes; theory: ``docs/theory/film_maps.md``.

A map's coefficients are constants of its kernels, which close over them; those that are zero are left out.
"""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.lanes import kernel, select, sqrt
from flexmbd.lubrication.base import FilmKernels, FormulaFilm
from flexmbd.lubrication.film_map import FilmMap


@kernel
def map_gap(ex, ey, smallest):
    """kappa and t = rho E by ``E = (ex, ey)``: (kappa, dkappa/dE^2, rho, drho/dE^2).

    kappa = sqrt(1 - E^2) down to the root of `smallest`, from there on it tends to half of that; |t|^2 = (1 - kappa)/(1 + kappa).
    """
    square = ex * ex + ey * ey
    gap = 1.0 - square
    inside = gap > smallest
    b = select(inside, gap, smallest)
    over = select(inside, 0.0, smallest - gap)
    root, down = sqrt(b), 1.0 / (b + over)
    kappa = root * (b + 0.5 * over) * down
    dkappa = -0.5 * root * b * down * down
    g = 1.0 / (1.0 + kappa)
    outer = select(inside, 1.0, square)
    ratio = select(inside, 1.0, (1.0 - kappa * kappa) / outer)
    sigma = sqrt(ratio)
    dsigma = select(inside, 0.0, -(2.0 * kappa * dkappa + ratio) / (2.0 * sigma * outer))
    return kappa, dkappa, sigma * g, (dsigma - sigma * g * dkappa) * g


@kernel
def map_radius_isotropic(square, slope, start, fourth):
    """Radial variable by |t|^2 and the factor of t in the harmonics, each with its derivative."""
    zero = 0.0 * square
    return slope * square + start, slope + zero, 1.0 + zero, zero


@kernel
def map_radius_directed(square, slope, start, fourth):
    """The same for a film with a direction of its own: by r^4 = |t|^4 + core^4; the harmonics take t/r."""
    half = sqrt(square * square + fourth)
    r = sqrt(half)
    dr = 0.5 * square / (half * r)
    return slope * r + start, slope * dr, 1.0 / r, -dr / half


@kernel
def map_squeeze(kappa, tx, ty, vx, vy):
    """S v = kappa v + (1 + kappa)(t.v) t: the part of v across t is scaled by kappa, that along it stays."""
    along = (1.0 + kappa) * (tx * vx + ty * vy)
    return kappa * vx + along * tx, kappa * vy + along * ty


@kernel
def map_squeeze_change(kappa, tx, ty, dkappa, dtx, dty, vx, vy):
    """Change of S v by changes of kappa and t."""
    along = tx * vx + ty * vy
    change = dkappa * along + (1.0 + kappa) * (dtx * vx + dty * vy)
    along = (1.0 + kappa) * along
    return dkappa * vx + change * tx + along * dtx, dkappa * vy + change * ty + along * dty


@kernel
def map_direction(vx, vy):
    """(unit vector of v, 1), or ((1, 0), 0) for v = 0."""
    square = vx * vx + vy * vy
    moves = square > 1e-280  # of m^2/s^2: slower motion has no direction
    length = sqrt(select(moves, square, 1.0))
    return select(moves, vx / length, 1.0), select(moves, vy / length, 0.0), select(moves, 1.0 + 0.0 * vx, 0.0)


@kernel
def map_series(values, k, x, rest):
    """Sum of coefficients times `values`, whose number stands before each."""
    total = x * values[k]
    for k, x in rest:
        total = total + x * values[k]
    return total


HELPERS = (map_gap, map_radius_isotropic, map_radius_directed, map_squeeze, map_squeeze_change, map_direction)


def _terms(rows, first=0):
    """Coefficients that are not zero, from number `first` on, of each row that has some: ``(row, number, coefficient, the others)``."""
    found = [(m, [(k, float(x)) for k, x in enumerate(row) if x and k >= first]) for m, row in enumerate(rows)]
    return tuple((m, *terms[0], tuple(terms[1:])) for m, terms in found if terms)


def _sums(film):
    """Kernel of both sums ``sum_m p_m(s) Re z^m``, ``sum_m q_m(s) Im z^m``; and that of these, of their derivatives by s, and of those by
    z of ``sum_m p_m z^m`` and ``sum_m q_m z^m``, real and imaginary parts.

    Like `_start` they are for generated code, which takes rows of any length by value: Numba compiles no loop over such.
    """
    p, q, columns = film.p, np.vstack([0.0 * film.q[:1], film.q[1:]]), film.p.shape[1]
    of_p, of_q, slope_p, slope_q = _terms(p), _terms(q), _terms(p, 1), _terms(q, 1)
    powers, turning_p = len(p) - 2, tuple(terms for terms in of_p if terms[0])

    def chebyshev(s):
        c = (1.0, s)
        for _ in range(columns - 2):
            c = c + (2.0 * s * c[-1] - c[-2],)
        return c

    def harmonics(x1, y1):
        z = ((1.0, 0.0), (x1, y1))
        for _ in range(powers):
            x, y = z[-1]
            z = z + ((x * x1 - y * y1, x * y1 + y * x1),)
        return z

    def film_map_sums(s, x1, y1):
        c, z = chebyshev(s), harmonics(x1, y1)
        p = q = 0.0 * s
        for m, k, x, rest in of_p:
            p = p + map_series(c, k, x, rest) * z[m][0]
        for m, k, x, rest in of_q:
            q = q + map_series(c, k, x, rest) * z[m][1]
        return p, q

    def film_map_slopes(s, x1, y1):
        c, z, d = chebyshev(s), harmonics(x1, y1), (0.0, 1.0 + 0.0 * s, 4.0 * s)
        for k in range(3, columns):
            d = d + (2.0 * (c[k - 1] + s * d[-1]) - d[-2],)
        p = q = ps = qs = px = py = qx = qy = 0.0 * s
        for m, k, x, rest in of_p:
            p = p + map_series(c, k, x, rest) * z[m][0]
        for m, k, x, rest in turning_p:
            h = 1.0 * m * map_series(c, k, x, rest)
            px, py = px + h * z[m - 1][0], py + h * z[m - 1][1]
        for m, k, x, rest in of_q:
            h = map_series(c, k, x, rest)
            q, h = q + h * z[m][1], 1.0 * m * h
            qx, qy = qx + h * z[m - 1][0], qy + h * z[m - 1][1]
        for m, k, x, rest in slope_p:
            ps = ps + z[m][0] * map_series(d, k, x, rest)
        for m, k, x, rest in slope_q:
            qs = qs + z[m][1] * map_series(d, k, x, rest)
        return p, q, ps, qs, px, py, qx, qy

    return film_map_sums, film_map_slopes


def _start(film):
    """Kernel of what force and tangent begin with, whose results stand there."""
    low, high = film.range
    smallest, growth = float(1.0 - film.eps_max**2), film.growth
    slope, start, fourth = float(2.0 / (high - low)), float(-(high + low) / (high - low)), float(low**4)
    radius = map_radius_isotropic if film.isotropic else map_radius_directed

    def film_map_start(x, y, u, w, c, R, viscosity, length):
        ex, ey = x / c, y / c
        kappa, dkappa, rho, drho = map_gap(ex, ey, smallest)
        tx, ty = rho * ex, rho * ey
        s, ds, zeta, dzeta = radius(tx * tx + ty * ty, slope, start, fourth)
        ax, ay = map_squeeze(kappa, tx, ty, u, w)
        vx, vy, moves = map_direction(ax, ay)
        zx, zy = moves * (tx * vx + ty * vy), moves * (tx * vy - ty * vx)
        a = R / c
        a = viscosity * length * a * a * a
        for _ in range(growth):
            a = a / kappa
        return ex, ey, kappa, dkappa, rho, drho, tx, ty, s, ds, zeta, dzeta, ax, ay, vx, vy, moves, zx, zy, a

    return film_map_start


@functools.cache
def _kernels(film):
    """Force and tangent of a map, and what they call."""
    begins, (sums, slopes), growth = _start(film), _sums(film), float(film.growth)

    def film_map_force(x, y, u, w, c, R, viscosity, length):
        _, _, kappa, _, _, _, tx, ty, s, _, zeta, _, ax, ay, _, _, _, zx, zy, a = begins(x, y, u, w, c, R, viscosity, length)
        p, q = sums(s, zeta * zx, zeta * zy)
        fx, fy = map_squeeze(kappa, tx, ty, ax * p - ay * q, ay * p + ax * q)
        return a * fx, a * fy

    def film_map_tangent(x, y, u, w, c, R, viscosity, length):
        known = begins(x, y, u, w, c, R, viscosity, length)
        ex, ey, kappa, dkappa, rho, drho, tx, ty, s, ds, zeta, dzeta, ax, ay, vx, vy, moves, zx, zy, a = known
        p, q, ps, qs, px, py, qx, qy = slopes(s, zeta * zx, zeta * zy)
        gx, gy = ax * p - ay * q, ay * p + ax * q
        fx, fy = map_squeeze(kappa, tx, ty, gx, gy)
        # dG/d(Sv) = turn [[p, b], [q, d]] turn', turn into the frame of Sv
        b, d = -q - zeta * (px * zy + py * zx), p + zeta * (qx * zx - qy * zy)
        mx, my = vx * p - vy * q, vy * p + vx * q
        nx, ny = vx * b - vy * d, vy * b + vx * d
        xx, xy, yx, yy = mx * vx - nx * vy, mx * vy + nx * vx, my * vx - ny * vy, my * vy + ny * vx
        by_x, by_y = (), ()
        for e, first, second in ((ex, 1.0, 0.0), (ey, 0.0, 1.0)):  # by place
            dk, dr = 2.0 * e * dkappa, 2.0 * e * drho
            dtx, dty = dr * ex + first * rho, dr * ey + second * rho
            dsquare = 2.0 * (tx * dtx + ty * dty)
            bx, by = map_squeeze_change(kappa, tx, ty, dk, dtx, dty, u, w)
            ux = zeta * moves * (dtx * vx + dty * vy) + dzeta * dsquare * zx
            uy = zeta * moves * (dtx * vy - dty * vx) + dzeta * dsquare * zy
            dp, dq = px * ux - py * uy + ps * ds * dsquare, qx * uy + qy * ux + qs * ds * dsquare
            hx, hy = xx * bx + xy * by + ax * dp - ay * dq, yx * bx + yy * by + ay * dp + ax * dq
            hx, hy = map_squeeze(kappa, tx, ty, hx, hy)
            cx, cy = map_squeeze_change(kappa, tx, ty, dk, dtx, dty, gx, gy)
            by_x, by_y = by_x + (a * ((hx + cx - growth * dk / kappa * fx) / c),), by_y + (a * ((hy + cy - growth * dk / kappa * fy) / c),)
        for first, second in ((1.0, 0.0), (0.0, 1.0)):  # by velocity
            bx, by = map_squeeze(kappa, tx, ty, first, second)
            hx, hy = map_squeeze(kappa, tx, ty, xx * bx + xy * by, yx * bx + yy * by)
            by_x, by_y = by_x + (a * hx,), by_y + (a * hy,)
        return by_x + by_y

    return FilmKernels(film_map_force, film_map_tangent, HELPERS)


@dataclass(frozen=True, eq=False)
class MapFilm(FormulaFilm):
    """Film by a map: the force of any film with quasi-static cavitation at the cost of a formula.

    The map is of one shape of bearing: where its film depends on length over radius, `length` and the joint's radius must have that ratio.
    It is checked for maps whose settings have a "length" and a "radius".

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    length : float or ndarray
        Of the bearing in m.
    map : FilmMap
        As `build_map` or `load_map` gives it.
    """

    name: ClassVar[str] = "map"
    reference: ClassVar[str] = "Impedance: Childs, Moes and van Leeuwen 1977, J. Lubr. Technol. 99, 198-210"

    map: FilmMap

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.map, FilmMap):
            raise ModelError(f"film 'map': map is {self.map!r}", element="map", remedy="build one with build_map or read one with load_map")
        if self.map.p.shape[1] < 3 or not np.all(np.isfinite([self.map.p, self.map.q])):
            raise ModelError("film 'map': the map has too few coefficients or one that is not finite", element="map")

    def check_bearing(self, owner, radius):
        """Raise `ModelError` where length over `radius` is known not to be the map's."""
        known = [self.map.settings.get(key) for key in ("length", "radius")]
        if not all(isinstance(x, int | float) and x > 0 for x in known):
            return
        wanted, ratio = known[0] / known[1], np.atleast_1d(self.length / np.asarray(radius))
        worst = int(np.argmax(np.abs(ratio - wanted)))
        if abs(ratio[worst] - wanted) > 1e-9 * wanted:
            place = f" (sample {worst})" if len(ratio) > 1 else ""
            raise ModelError(
                f"{owner}: the film map is of a bearing whose length is {wanted:g} radii, here it is {ratio[worst]:g}{place}",
                element=owner,
                remedy="build a map of this bearing, or change length or radius",
            )

    def kernels(self):
        """Force and tangent."""
        return _kernels(self.map)
