"""Reynolds' equation on a grid, for many films at once: what flows through which face at which pressure.

Arrays over films have the film first, then (along, across): the active cells of two films differ, so each film takes its own
number of linear solves, and within one film the elimination runs along contiguous rows over z, which the compiler vectorises.
"""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_range
from flexmbd.lubrication.reynolds.grid import Grid


@dataclass(frozen=True, eq=False)
class ReynoldsProblem:
    """Coefficients of ``net outflow = 0`` of each cell (half of the width), films first; made by `reynolds_problem`.

    With pressure p (Pa) and fill fraction f the outflow of a cell is, in m^3/s,
    ``sum over faces g (p - p_neighbour) + sum over faces c f_upwind + store f + source``.
    """

    grid: Grid
    thickness: np.ndarray  # (films, n, m) film thickness, m
    viscosity: np.ndarray  # (films, n, m) Pa s
    gx: np.ndarray  # (films, n+1, m) conductance of the faces along x, m^3/(Pa s)
    gz: np.ndarray  # (films, n, m+1) conductance of the faces along z, m^3/(Pa s)
    cx: np.ndarray  # (films, n+1, m) flow that the motion carries through a full face, m^3/s
    store: np.ndarray  # (films, n, m) content at fill 1 over the time step, m^3/s; 0 without a step
    source: np.ndarray  # (films, n, m) squeeze, or less the old content over the time step, m^3/s
    ends: np.ndarray  # (films, 2) pressure at both ends, Pa
    side: np.ndarray  # (films,) pressure at the side, Pa
    supplied: np.ndarray  # (films, n, m) bool: cells of grooves
    supply: np.ndarray  # (films, n, m) their pressure, Pa
    squeezed: bool  # True: some film is squeezed and there is no time step


def _faces(cells, axis):
    rest = (slice(None),) * axis
    return 0.5 * (cells[*rest, :-1] + cells[*rest, 1:])


def _with_ends(inner, first, last, axis):
    return np.concatenate((np.expand_dims(first, axis), inner, np.expand_dims(last, axis)), axis)


def reynolds_problem(
    grid, thickness, *, viscosity, entrainment, squeeze=0.0, ends=(0.0, 0.0), end_thickness=None, side=0.0, supplied=None, supply=0.0,
    step=None, content=None,
):  # fmt: skip
    """Finite volumes of Reynolds' equation, second order on equal cells where the film is full.

    ``d(f h)/dt + d(f h U)/dx = div(h^3/(12 mu) grad p)``

    Parameters
    ----------
    grid : Grid
    thickness : (films, n, m) or (n, m) or (n,) ndarray
        Film thickness h at the cells' centres in m.
    viscosity : float or broadcastable to (films, n, m)
        In Pa s.
    entrainment : float or (films,) ndarray
        U, mean of both surface speeds, in m/s.
    squeeze : float or broadcastable to (films, n, m)
        dh/dt in m/s; not used with a `step`.
    ends : pair, each float or (films,)
        Pressures at both ends in Pa (no ring).
    end_thickness : pair, each float or (films,), optional
        h at both ends in m; otherwise carried on from the last two cells.
    side : float or (films,)
        Pressure at z = width/2 in Pa (open sides).
    supplied : bool, broadcastable to (films, n, m), optional
        Cells at the pressure `supply` (Pa): grooves.
    step : float, optional
        Time step in s of the implicit Euler rule for the content f h; needs `content`, (films, n, m) in m, of the step before.

    Raises
    ------
    ModelError : thickness or viscosity not above zero, a step without content.
    """
    n, m = grid.shape
    h = np.asarray(thickness, float)
    h = h[:, None] if h.ndim == 1 else h
    lead = [np.shape(v)[0] for v in (entrainment, side, *ends) if np.ndim(v) == 1]
    lead += [np.shape(v)[0] for v in (h, viscosity, squeeze) if np.ndim(v) == 3]
    shape = (max(lead, default=1), n, m)
    try:
        h, mu, rate = (np.array(np.broadcast_to(v, shape), float) for v in (h, viscosity, squeeze))
        speed, side = (np.array(np.broadcast_to(v, shape[:1]), float) for v in (entrainment, side))
        ends = np.stack([np.broadcast_to(np.asarray(v, float), shape[:1]) for v in ends], axis=1)
        mask = np.array(np.broadcast_to(False if supplied is None else supplied, shape), bool)
        supply = np.array(np.broadcast_to(supply, shape), float)
    except ValueError:
        raise ModelError(f"film: fields do not fit {shape[0]} films of {n} x {m} cells") from None
    check_range("film", "thickness", h, above=0.0)
    check_range("film", "viscosity", mu, above=0.0)
    for key, value in (("entrainment", speed), ("squeeze", rate), ("side pressure", side), ("end pressure", ends)):
        check_range("film", key, value)

    gx = grid.dz / grid.dx * _mobility(_faces(h, 1), _faces(mu, 1))
    seam = 0.5 * (h[:, 0] + h[:, -1])
    if grid.ring:
        first = last = grid.dz / grid.dx * _mobility(seam, 0.5 * (mu[:, 0] + mu[:, -1]))
        edges = (seam, seam)
    else:
        edges = (1.5 * h[:, 0] - 0.5 * h[:, 1], 1.5 * h[:, -1] - 0.5 * h[:, -2])
        if end_thickness is not None:
            edges = tuple(np.broadcast_to(np.asarray(v, float).reshape(-1, 1), (shape[0], m)) for v in end_thickness)
        # the pressure is given at the face, half a cell away from the centre
        first, last = (2.0 * grid.dz / grid.dx * _mobility(e, k) for e, k in zip(edges, (mu[:, 0], mu[:, -1])))
    gx = _with_ends(gx, first, last, 1)
    cx = speed[:, None, None] * grid.dz * _with_ends(_faces(h, 1), *edges, 1)

    inner = grid.dx / grid.dz * _mobility(_faces(h, 2), _faces(mu, 2))
    out = 2.0 * grid.dx / grid.dz * _mobility(h[:, :, -1], mu[:, :, -1]) if grid.sides == "open" else np.zeros(shape[:2])
    gz = _with_ends(inner, np.zeros(shape[:2]), out, 2)

    area = grid.dx * grid.dz
    if step is None:
        store, source = np.zeros(shape), area * rate
    else:
        check_range("film", "step", step, above=0.0)
        if content is None:
            raise ModelError("film: a time step needs the content (fill fraction times thickness) of the step before")
        check_range("film", "content", content, at_least=0.0)
        store, source = area / step * h, -area / step * np.broadcast_to(np.asarray(content, float), shape)
    squeezed = step is None and bool(np.any(rate != 0.0))
    return ReynoldsProblem(grid, h, mu, gx, gz, cx, store, source, ends, side, mask, supply, squeezed)


def _mobility(h, mu):
    return h * h * h / (12.0 * mu)


def fluxes(problem, pressure, fill):
    """Flow through the faces along x, (films, n+1, m), and along z, (films, n, m+1), of half of the width, in m^3/s."""
    ring, ends = problem.grid.ring, problem.ends[:, :, None]
    before, after = pressure[:, -1:] if ring else ends[:, :1], pressure[:, :1] if ring else ends[:, 1:]
    one = np.ones_like(fill[:, :1])
    p = np.concatenate((before + 0 * one, pressure, after + 0 * one), 1)
    f = np.concatenate((fill[:, -1:] if ring else one, fill, fill[:, :1] if ring else one), 1)
    along = problem.gx * (p[:, :-1] - p[:, 1:]) + problem.cx * np.where(problem.cx > 0.0, f[:, :-1], f[:, 1:])
    outside = np.broadcast_to(problem.side[:, None, None], pressure[:, :, :1].shape)
    q = np.concatenate((pressure[:, :, :1], pressure, outside), 2)
    return along, problem.gz * (q[:, :, :-1] - q[:, :, 1:])


def outflow(problem, pressure, fill, flows=None):
    """(films, n, m) net outflow of every cell in m^3/s: zero but for round-off where mass is conserved, the supply in grooves.

    `flows`: of `fluxes`, where they are known.
    """
    along, across = fluxes(problem, pressure, fill) if flows is None else flows
    return np.diff(along, axis=1) + np.diff(across, axis=2) + problem.store * fill + problem.source
