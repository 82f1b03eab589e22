"""The problem of all contacts of a step: what is given, what is sought, and how far from it percussions are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmbd.errors import ModelError, check_range
from flexmbd.nonsmooth.cones import natural_map, rows_times

TINY = 1e-300


@dataclass(frozen=True)
class ContactProblem:
    """Percussions p of m contacts whose velocities are ``u = W p + b``, with Coulomb's friction.

    Of each contact ``0 <= u_n``, ``p_n >= 0``, one of them zero, and ``|p_t| <= mu p_n``, less only where ``u_t = 0``, else against it.
    Restitution is part of b: Newton's is ``b_n + e u_n`` of before.

    Parameters
    ----------
    matrix : ndarray or sparse array (m d, m d)
        Delassus matrix W (1/kg), symmetric and positive semi-definite; of each contact first the normal, then its d - 1 tangents.
    free : array_like (m, d)
        Velocities b without percussions, m/s; d is 1 (no friction), 2 (in the plane) or 3 (in space).
    friction : float or array_like (m,)
        Coefficient mu of each contact.

    Raises
    ------
    ModelError
        Wrong shapes; values that are not finite; friction below zero, or without a tangent; a contact that its own percussion does not
        move.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.nonsmooth import ContactProblem, solve
    >>> W = np.diag([1.0, 3.0, 1.0, 3.0])  # 1/kg: two contacts in the plane, normal and tangent of each
    >>> problem = ContactProblem(W, free=[[-1.0, 0.2], [0.5, 0.0]], friction=0.3)
    >>> problem.count, problem.dimension
    (2, 2)
    """

    matrix: object
    free: object
    friction: object = 0.0

    def __post_init__(self):
        free = np.array(self.free, dtype=float)
        if free.ndim != 2 or free.shape[1] not in (1, 2, 3):
            raise ModelError(f"contact problem: free has the shape {free.shape}; it must be (contacts, 1), (contacts, 2) or (contacts, 3)")
        matrix = sparse.csr_array(self.matrix)
        if matrix.shape != (free.size, free.size):
            raise ModelError(f"contact problem: matrix has the shape {matrix.shape}; it must be {(free.size, free.size)}, as free has it")
        check_range("contact problem", "matrix", matrix.data)
        check_range("contact problem", "free", free)
        check_range("contact problem", "friction", self.friction, at_least=0.0)
        friction = np.array(np.broadcast_to(np.asarray(self.friction, dtype=float), free.shape[:1]))
        if free.shape[1] == 1 and np.any(friction > 0.0):
            raise ModelError(
                "contact problem: friction is given, and contacts have a normal only; free must be (contacts, 2) or (contacts, 3)"
            )
        normal = matrix.diagonal()[:: free.shape[1]]
        if np.any(normal <= 0.0):
            bad = int(np.argmax(normal <= 0.0))
            raise ModelError(f"contact problem: matrix is {normal[bad]:g} at the normal of contact {bad}; it must be above zero")
        for key, value in (("free", free), ("friction", friction), ("matrix", matrix)):
            object.__setattr__(self, key, value)

    @classmethod
    def of_bodies(cls, directions, inverse_mass, free, friction=0.0):
        """Problem with ``W = D P D'``.

        Parameters
        ----------
        directions : sparse array (m d, n)
            Velocities of contacts by those of coordinates.
        inverse_mass : sparse array (n, n)
        free, friction : as of the class.
        """
        directions = sparse.csr_array(directions)
        return cls(directions @ (sparse.csr_array(inverse_mass) @ directions.T), free, friction)

    @property
    def count(self):
        """Number of contacts."""
        return self.free.shape[0]

    @property
    def dimension(self):
        """Velocities of a contact: 1, 2 or 3."""
        return self.free.shape[1]

    @cached_property
    def blocks(self):
        """Rows of 3 x 3 blocks ``(starts, columns, blocks, diagonal)``; tangents that are not there are apart from all else."""
        m, d = self.free.shape
        found = sparse.bsr_array(self.matrix, blocksize=(d, d))
        found.sum_duplicates()
        found.sort_indices()
        rows = np.repeat(np.arange(m), np.diff(found.indptr))
        diagonal = np.flatnonzero(found.indices == rows)
        blocks = np.zeros((len(found.data), 3, 3))
        blocks[:, :d, :d] = found.data
        for k in range(d, 3):
            blocks[diagonal, k, k] = blocks[diagonal, 0, 0]
        return found.indptr.astype(np.int64), found.indices.astype(np.int64), blocks, diagonal

    @cached_property
    def wide(self):
        """Free velocities (m, 3), zero for tangents that are not there."""
        found = np.zeros((self.count, 3))
        found[:, : self.dimension] = self.free
        return found

    @cached_property
    def yields(self):
        """How fast each contact yields to its own percussion, the mean of its directions (m,), 1/kg."""
        blocks, diagonal = self.blocks[2:]
        return np.trace(blocks[diagonal], axis1=1, axis2=2) / 3.0

    @cached_property
    def speed(self):
        """Norm of the free velocities, m/s."""
        return float(np.linalg.norm(self.free))

    def velocities(self, percussions):
        """``u = W p + b`` (m, d)."""
        return (self.matrix @ np.ravel(percussions)).reshape(self.free.shape) + self.free

    def residual(self, percussions, scales=None):
        """How far percussions are from a solution: the natural map as a velocity, relative to the free velocities.

        With ``v = u + mu |u_t| n`` (de Saxcé and Feng 1998) percussions solve the problem where ``p = P_K(p - r v)`` for any r > 0, P_K the
        projection onto the cone of friction.  The residual is the norm over all contacts of ``(p - P_K(p - r v))/r``, with r the inverse of
        `yields`, by `speed`: it has no unit, and other units of mass, length or time leave it as it is.

        Parameters
        ----------
        percussions : ndarray (m, d)
        scales : float or ndarray (m,), optional
            Other r; with 1 the norm of the natural map itself by `speed`, as Siconos has it.
        """
        wide = np.zeros((self.count, 3))
        wide[:, : self.dimension] = percussions
        return self.residual_of(wide, rows_times(*self.blocks[:3], wide, self.wide), scales)

    def residual_of(self, wide, velocities, scales=None):
        """`residual` of (m, 3) percussions with (m, 3) velocities."""
        known = 1.0 / self.yields if scales is None else np.broadcast_to(np.asarray(scales, dtype=float), (self.count,)).copy()
        return float(natural_map(wide, velocities, self.friction, known, scales is None)) / max(self.speed, TINY)


@dataclass(frozen=True)
class Solution:
    """What a solver found.

    Attributes
    ----------
    percussions, velocities : ndarray (m, d)
        N s and m/s; NaN where there is no solution.
    residual : float
        `ContactProblem.residual`.
    iterations : int
        Of the solver; what one is, its docstring says.
    converged : bool
    message : str
        In one sentence why not; empty if it did.
    """

    percussions: object
    velocities: object
    residual: float
    iterations: int
    converged: bool
    message: str = ""


__all__ = ["ContactProblem", "Solution"]
