"""Many spheres between walls by Moreau's scheme: contacts found by cells, any contact solver. Stands alone: no model."""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from flexmbd.errors import ModelError, check_range, unit_vector
from flexmbd.lanes import kernel
from flexmbd.nonsmooth.problem import ContactProblem
from flexmbd.nonsmooth.solving import solve

PUSHES = 10  # sweeps over the gaps that a step leaves closed
NEAR = 0.5  # of a radius: gaps up to which a step looks for contacts that it may close
SLOW = 2.0  # approach that forces make within so many steps is no impact


@kernel
def near(places, radii, cell, margin):
    """Pairs of spheres (k, 2) with gaps of at most a margin, the first of the lower number, by cells that the largest and it fit in."""
    n = len(radii)
    low = np.array([places[:, 0].min(), places[:, 1].min(), places[:, 2].min()])
    own = np.empty((n, 3), np.int64)
    for i in range(n):
        for k in range(3):
            own[i, k] = int((places[i, k] - low[k]) / cell)
    wide, deep = own[:, 1].max() + 3, own[:, 2].max() + 3
    keys = ((own[:, 0] + 1) * wide + own[:, 1] + 1) * deep + own[:, 2] + 1
    order = np.argsort(keys, kind="mergesort")
    listed = keys[order]
    found = np.empty((max(16 * n, 16), 2), np.int64)
    count = 0
    for i in range(n):
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                first = keys[i] + (dx * wide + dy) * deep - 1
                for at in range(np.searchsorted(listed, first), n):
                    if listed[at] > first + 2:
                        break
                    j = order[at]
                    if j <= i:
                        continue
                    apart = 0.0
                    for k in range(3):
                        apart += (places[i, k] - places[j, k]) ** 2
                    if apart <= (radii[i] + radii[j] + margin) ** 2:
                        if count == len(found):
                            found = np.concatenate((found, np.empty_like(found)))
                        found[count, 0], found[count, 1] = i, j
                        count += 1
    return found[:count]


@kernel
def apart(first, second, normals, gaps, inverse, moves, sweeps):
    """Move spheres (n, 3) along normals until gaps (m,) are open, sweep by sweep."""
    for _ in range(sweeps):
        for c in range(len(gaps)):
            a, b = first[c], second[c]
            gap, yielding = gaps[c], inverse[a]
            for k in range(3):
                gap += normals[c, k] * moves[a, k]
            if b >= 0:
                yielding += inverse[b]
                for k in range(3):
                    gap -= normals[c, k] * moves[b, k]
            if gap < 0.0:
                for k in range(3):
                    moves[a, k] -= gap * inverse[a] / yielding * normals[c, k]
                    if b >= 0:
                        moves[b, k] += gap * inverse[b] / yielding * normals[c, k]


@dataclass
class Spheres:
    """Homogeneous spheres that cannot penetrate each other or walls.

    Parameters
    ----------
    places : array_like (n, 3)
        Centres, m.
    radius : float or array_like (n,)
        m.
    mass : float or array_like (n,)
        kg.
    walls : sequence of (point (3,), normal (3,))
        Half-spaces; the normal points out of the wall.
    velocities, spins : array_like (n, 3), optional
        m/s and rad/s.
    friction, restitution : float
        Of all contacts.
    gravity : array_like (3,)
        m/s².

    Attributes
    ----------
    time : float
        s
    contacts : int
        Of the last step.
    unsolved : int
        Steps whose residual stayed above the tolerance.

    Raises
    ------
    ModelError
        Wrong shapes, values out of range, spheres that penetrate each other or a wall by more than a hundredth of their radius.
    """

    places: object
    radius: object
    mass: object
    walls: tuple = ()
    velocities: object = 0.0
    spins: object = 0.0
    friction: float = 0.0
    restitution: float = 0.0
    gravity: tuple = (0.0, 0.0, -9.81)
    time: float = 0.0
    contacts: int = 0
    unsolved: int = 0
    _known: dict = field(default_factory=dict, repr=False)

    def __post_init__(self):
        self.places = np.array(self.places, dtype=float)
        if self.places.ndim != 2 or self.places.shape[1] != 3:
            raise ModelError(f"spheres: places has the shape {self.places.shape}; it must be (spheres, 3)")
        n = len(self.places)
        check_range("spheres", "places", self.places)
        for key in ("radius", "mass"):
            check_range("spheres", key, getattr(self, key), above=0.0)
            setattr(self, key, np.array(np.broadcast_to(np.asarray(getattr(self, key), dtype=float), (n,))))
        for key in ("velocities", "spins"):
            check_range("spheres", key, getattr(self, key))
            setattr(self, key, np.array(np.broadcast_to(np.asarray(getattr(self, key), dtype=float), (n, 3))))
        check_range("spheres", "friction", self.friction, at_least=0.0)
        check_range("spheres", "restitution", self.restitution, at_least=0.0, at_most=1.0)
        self.gravity = np.array(self.gravity, dtype=float)
        self.walls = tuple((np.asarray(point, dtype=float), np.asarray(unit_vector("spheres", "walls", n, 3))) for point, n in self.walls)
        first, second, _, gaps = self._closed(self.places)
        deep = gaps < -0.01 * self.radius[first]
        if np.any(deep):
            k = int(np.argmax(deep))
            other = f"sphere {second[k]}" if second[k] >= 0 else "a wall"
            raise ModelError(f"spheres: sphere {first[k]} penetrates {other} by {-gaps[k]:.3g} m at the start")

    @property
    def energy(self):
        """Kinetic and potential energy, J."""
        inertia = 0.4 * self.mass * self.radius**2
        kinetic = 0.5 * np.sum(self.mass[:, None] * self.velocities**2) + 0.5 * np.sum(inertia[:, None] * self.spins**2)
        return float(kinetic - np.sum(self.mass * (self.places @ self.gravity)))

    @property
    def penetration(self):
        """Deepest, m."""
        gaps = self._closed(self.places)[3]
        return float(max(-gaps.min(), 0.0)) if len(gaps) else 0.0

    def run(self, end, step, solver="nsgs", *, tolerance=1e-6, iterations=None):
        """Go on to a time with steps of Moreau's midpoint scheme (Moreau 1988; Jean 1999).

        Parameters
        ----------
        end : float
            s; the last step is shorter where it must be.
        step : float
            s
        solver, tolerance, iterations : as of `flexmbd.nonsmooth.solve`

        Returns
        -------
        Spheres
            Itself.
        """
        check_range("spheres", "step", step, above=0.0)
        while self.time < end - 1e-9 * step:
            self._step(min(step, end - self.time), solver, tolerance, iterations)
        return self

    def _closed(self, places, margin=0.0):
        """Contacts with gaps of at most a margin: spheres a and b (below zero a wall), normals from b to a, gaps."""
        pairs = near(places, self.radius, 2.001 * float(self.radius.max()) + margin, margin)
        between = places[pairs[:, 0]] - places[pairs[:, 1]]
        distance = np.linalg.norm(between, axis=1)
        first, second = [pairs[:, 0]], [pairs[:, 1]]
        normals, gaps = [between / np.maximum(distance, 1e-300)[:, None]], [distance - self.radius[pairs].sum(axis=1)]
        for k, (point, normal) in enumerate(self.walls):
            gap = (places - point) @ normal - self.radius
            own = np.flatnonzero(gap <= margin)
            first.append(own)
            second.append(np.full(len(own), -1 - k))
            normals.append(np.broadcast_to(normal, (len(own), 3)))
            gaps.append(gap[own])
        return np.concatenate(first), np.concatenate(second), np.concatenate(normals), np.concatenate(gaps)

    def _step(self, h, solver, tolerance, iterations):
        """One step: places at its middle say which contacts are closed, percussions change velocities there."""
        middle = self.places + 0.5 * h * self.velocities
        ahead = self.velocities + h * self.gravity
        around = self._closed(middle, NEAR * float(self.radius.min()))
        first, second, normals, gaps = around
        # of what is open at the middle, what may close by the end; what has restitution strikes in the next step
        rates = self._rates(first, second, normals, ahead)
        falls = SLOW * h * math.sqrt(self.gravity @ self.gravity)
        close = (gaps <= 0.0) | (2.0 * gaps < h * (falls - rates)) & ((self.restitution == 0.0) | ~self._strike(-1.0, rates, h))
        first, second, normals, gaps = (x[close] for x in around)
        if len(gaps):
            ahead, self.spins = self._percussed(first, second, normals, gaps, ahead, h, (solver, tolerance, iterations))
        self.places = middle + 0.5 * h * ahead
        first, second, normals, gaps = around
        ends, moves = gaps + 0.5 * h * self._rates(first, second, normals, ahead), np.zeros_like(ahead)
        apart(first, np.maximum(second, -1), np.ascontiguousarray(normals), ends, 1.0 / self.mass, moves, PUSHES)
        self.places = self.places + moves
        self.velocities, self.contacts, self.time = ahead, int(np.sum(close)), self.time + h

    def _strike(self, gaps, rates, h):
        """Which approaches are impacts, not the fall of a step or two."""
        return np.less_equal(gaps, 0.0) & (rates < -SLOW * h * math.sqrt(self.gravity @ self.gravity))

    @staticmethod
    def _rates(first, second, normals, velocities):
        """Rates of gaps."""
        other = np.where((second >= 0)[:, None], velocities[np.maximum(second, 0)], 0.0)
        return np.sum(normals * (velocities[first] - other), axis=1)

    def _percussed(self, first, second, normals, gaps, ahead, h, how):
        """Velocities and spins after the percussions of a step."""
        n, m, frames = len(self.mass), len(first), frames_of(normals)
        rows = np.repeat(np.arange(3 * m).reshape(m, 3), 6, axis=0).reshape(m, 6, 3).transpose(0, 2, 1)
        blocks, columns = [], []
        for body, sign in ((first, 1.0), (second, -1.0)):
            arm = -sign * self.radius[body][:, None] * normals
            blocks.append(
                np.where((body >= 0)[:, None, None], np.concatenate([sign * frames, np.cross(arm[:, None, :], sign * frames)], axis=2), 0.0)
            )
            columns.append(np.broadcast_to(6 * np.maximum(body, 0)[:, None, None] + np.arange(6), (m, 3, 6)))
        directions = sparse.csr_array(
            (np.concatenate([b.ravel() for b in blocks]), (np.tile(rows.ravel(), 2), np.concatenate([c.ravel() for c in columns]))),
            (3 * m, 6 * n),
        )
        directions.eliminate_zeros()
        inertia = 0.4 * self.mass * self.radius**2
        inverse = np.repeat(1.0 / np.stack([self.mass, inertia], axis=1), 3, axis=1).ravel()
        free = (directions @ np.hstack([ahead, self.spins]).ravel()).reshape(m, 3)
        before = self._rates(first, second, normals, self.velocities)
        free[:, 0] += np.maximum(2.0 * gaps / h, 0.0)
        free[:, 0] += np.where(self._strike(gaps, before, h), self.restitution * before, 0.0)
        keys = first * (n + len(self.walls) + 1) + second + len(self.walls) + 1
        start = np.array([self._known.get(key, (0.0, 0.0, 0.0)) for key in keys.tolist()])
        start = np.einsum("mij,mj->mi", frames, start)
        problem = ContactProblem.of_bodies(directions, sparse.diags_array(inverse), free, self.friction)
        found = solve(problem, how[0], tolerance=how[1], iterations=how[2], start=start)
        self.unsolved += not found.converged
        p = np.where(np.isfinite(found.percussions), found.percussions, 0.0)
        self._known = dict(zip(keys.tolist(), np.einsum("mij,mi->mj", frames, p), strict=True))
        change = (inverse * (directions.T @ p.ravel())).reshape(n, 6)
        return ahead + change[:, :3], self.spins + change[:, 3:]


def frames_of(normals):
    """Rows: each normal and two unit vectors across it, (m, 3, 3)."""
    other = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = np.cross(normals, other)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([normals, first, np.cross(normals, first)], axis=1)


def box(low, high):
    """Walls of a box that is open at the top.

    Parameters
    ----------
    low, high : array_like (3,)
        Corners, m.
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if not np.all(low < high):
        raise ModelError(f"box: low {low.tolist()} must be below high {high.tolist()} in all directions")
    axes = np.eye(3)
    return (*((low, axis) for axis in axes), *((high, -axis) for axis in axes[:2]))


__all__ = ["Spheres", "box", "frames_of"]
