"""Film that evaluates a film map in lanes; theory: ``docs/theory/film_maps.md``.

A map's coefficients are constants of its kernels' text, where those that are zero are left out; from a table each would be loaded.
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


HELPERS = (map_gap, map_radius_isotropic, map_radius_directed, map_squeeze, map_squeeze_change, map_direction)

START = """
def {name}(x, y, u, w, c, R, viscosity, length):
    ex, ey = x / c, y / c
    kappa, dkappa, rho, drho = map_gap(ex, ey, {smallest!r})
    tx, ty = rho * ex, rho * ey
    s, ds, zeta, dzeta = {radius}(tx * tx + ty * ty, {slope!r}, {start!r}, {fourth!r})
    ax, ay = map_squeeze(kappa, tx, ty, u, w)
    vx, vy, moves = map_direction(ax, ay)
    zx, zy = moves * (tx * vx + ty * vy), moves * (tx * vy - ty * vx)
    a = R / c
    a = viscosity * length * a * a * a {growth}
"""
FORCE = """\
    p, q = {sums}(s, zeta * zx, zeta * zy)
    fx, fy = map_squeeze(kappa, tx, ty, ax * p - ay * q, ay * p + ax * q)
    return a * fx, a * fy
"""
TANGENT = """\
    p, q, ps, qs, px, py, qx, qy = {sums}(s, zeta * zx, zeta * zy)
    gx, gy = ax * p - ay * q, ay * p + ax * q
    fx, fy = map_squeeze(kappa, tx, ty, gx, gy)
    # dG/d(Sv) = turn [[p, b], [q, d]] turn', turn into the frame of Sv
    b, d = -q - zeta * (px * zy + py * zx), p + zeta * (qx * zx - qy * zy)
    mx, my = vx * p - vy * q, vy * p + vx * q
    nx, ny = vx * b - vy * d, vy * b + vx * d
    xx, xy, yx, yy = mx * vx - nx * vy, mx * vy + nx * vx, my * vx - ny * vy, my * vy + ny * vx
"""
BY_VELOCITY = """\
    bx, by = map_squeeze(kappa, tx, ty, {first}, {second})
    fx_{key}, fy_{key} = map_squeeze(kappa, tx, ty, xx * bx + xy * by, yx * bx + yy * by)
"""
BY_PLACE = """\
    dk, dr = 2.0 * {e} * dkappa, 2.0 * {e} * drho
    dtx, dty = dr * ex + {first} * rho, dr * ey + {second} * rho
    dsquare = 2.0 * (tx * dtx + ty * dty)
    bx, by = map_squeeze_change(kappa, tx, ty, dk, dtx, dty, u, w)
    ux, uy = zeta * moves * (dtx * vx + dty * vy) + dzeta * dsquare * zx, zeta * moves * (dtx * vy - dty * vx) + dzeta * dsquare * zy
    dp, dq = px * ux - py * uy + ps * ds * dsquare, qx * uy + qy * ux + qs * ds * dsquare
    hx, hy = xx * bx + xy * by + ax * dp - ay * dq, yx * bx + yy * by + ay * dp + ax * dq
    hx, hy = map_squeeze(kappa, tx, ty, hx, hy)
    cx, cy = map_squeeze_change(kappa, tx, ty, dk, dtx, dty, gx, gy)
    fx_{key}, fy_{key} = (hx + cx - {growth!r} * dk / kappa * fx) / c, (hy + cy - {growth!r} * dk / kappa * fy) / c
"""
END = """\
    return a * fx_x, a * fx_y, a * fx_u, a * fx_w, a * fy_x, a * fy_y, a * fy_u, a * fy_w
"""


def _sums(film, name, tangent):
    """Text of the kernel of both sums ``sum_m p_m(s) Re z^m``, ``sum_m q_m(s) Im z^m``; with `tangent` their derivatives by s, and those by
    z of ``sum_m p_m z^m`` and ``sum_m q_m z^m``, real and imaginary parts.
    """
    lines = [f"def {name}(s, x1, y1):", "c1 = s"]
    lines += [f"c{k} = 2.0 * s * c{k - 1} - {f'c{k - 2}' if k > 2 else '1.0'}" for k in range(2, film.p.shape[1])]
    if tangent:
        lines += ["d1 = 1.0 + 0.0 * s", "d2 = 4.0 * s"]
        lines += [f"d{k} = 2.0 * (c{k - 1} + s * d{k - 1}) - d{k - 2}" for k in range(3, film.p.shape[1])]
    results = ("p", "q", "ps", "qs", "px", "py", "qx", "qy") if tangent else ("p", "q")
    lines.append(" = ".join(results) + " = 0.0 * s")
    powers = {0: ("1.0", "0.0"), 1: ("x1", "y1")}
    for m in range(len(film.p)):
        if m > 1:
            lines.append(f"x{m}, y{m} = x{m - 1} * x1 - y{m - 1} * y1, x{m - 1} * y1 + y{m - 1} * x1")
            powers[m] = f"x{m}", f"y{m}"
        for key, row, part in (("p", film.p[m], powers[m][0]), ("q", film.q[m], powers[m][1])):
            if not row.any() or part == "0.0":
                continue
            lines += [f"h = {_series(row, 'c')}", f"{key} = {key} + h * {part}"]
            if tangent:
                if row[1:].any():
                    lines.append(f"{key}s = {key}s + {part} * ({_series(row, 'd')})")
                if m:
                    below = powers[m - 1]
                    lines += [f"h = {float(m)} * h", f"{key}x = {key}x + h * {below[0]}", f"{key}y = {key}y + h * {below[1]}"]
    return "\n    ".join([*lines, f"return {', '.join(results)}"]) + "\n"


def _series(row, letter):
    """Text of a Chebyshev series (letter c), or of its derivative (d)."""
    terms = [f"{float(x)!r}" + (f" * {letter}{k}" if k else "") for k, x in enumerate(row) if x and (k or letter == "c")]
    return " + ".join(terms)


@functools.cache
def _kernels(film):
    """Force and tangent of a map, and what they call."""
    low, high = film.range
    stem = f"film_map_{film.digest[:16]}"
    radius = map_radius_isotropic if film.isotropic else map_radius_directed
    words = {
        "smallest": float(1.0 - film.eps_max**2),
        "radius": radius.__name__,
        "slope": float(2.0 / (high - low)),
        "start": float(-(high + low) / (high - low)),
        "fourth": float(low**4),
        "growth": " / kappa" * film.growth,
    }
    places = "".join(
        BY_PLACE.format(key=key, e=f"e{key}", first=first, second=second, growth=float(film.growth))
        for key, first, second in (("x", 1.0, 0.0), ("y", 0.0, 1.0))
    )
    speeds = "".join(BY_VELOCITY.format(key=key, first=first, second=second) for key, first, second in (("u", 1.0, 0.0), ("w", 0.0, 1.0)))
    bodies = {"force": FORCE.format(sums=f"{stem}_sums"), "tangent": TANGENT.format(sums=f"{stem}_slopes") + places + speeds + END}
    texts = {f"{stem}_sums": _sums(film, f"{stem}_sums", False), f"{stem}_slopes": _sums(film, f"{stem}_slopes", True)}
    texts |= {f"{stem}_{key}": START.format(name=f"{stem}_{key}", **words) + body for key, body in bodies.items()}
    space = dict(globals())
    for name, text in texts.items():
        exec(compile(text, __file__, "exec"), space)  # the file beside which Numba keeps machine code
        space[name].source = text
        space[name] = kernel(space[name])
    return FilmKernels(space[f"{stem}_force"], space[f"{stem}_tangent"], (*HELPERS, space[f"{stem}_sums"], space[f"{stem}_slopes"]))


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
