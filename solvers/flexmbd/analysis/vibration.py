"""Small vibrations about a state of equilibrium: ``M x'' + D x' + K x + G' l = 0``, ``G x = 0``.

Small systems are projected on the null space of G and solved whole by QZ, which takes singular masses and unsymmetric stiffness as they
are.  Large ones stay sparse: shift-invert Lanczos on the saddle point matrix ``[K - s M, G'; G, 0]``, whose inverse maps into the null
space of G by itself, so that no (dense) basis of it is needed, and whose infinite eigenvalues (singular masses) become zeros that
Lanczos, started in the range of the operator, never sees (Meerbergen and Spence 1997, SIAM J. Matrix Anal. Appl. 18, 667-687).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eig, null_space
from scipy.sparse import csr_array, dia_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, eigsh

from flexmbd.analysis.equilibrium import ITERATIONS, TOLERANCE, NotConverged, assembled, at_start, newton, whole
from flexmbd.analysis.path import Path, StaticsError, equations_of
from flexmbd.analysis.refusals import refuse_states
from flexmbd.analysis.tangent import free_motion
from flexmbd.errors import ModelError
from flexmbd.linalg.saddle import Saddle, Singular

DENSE = 120  # coordinates up to which the whole problem is solved


@dataclass(frozen=True, eq=False)
class Modes:
    """Vibrations, slowest first.

    Attributes
    ----------
    frequencies : ndarray (k,)
        Circular frequencies in rad/s (with damping: of the damped vibration); NaN for an undamped motion that grows without vibrating.
    shapes : ndarray (n, k)
        Changes of the coordinates; undamped ones about rest have modal mass 1.
    squares : ndarray (k,)
        Undamped, at rest: squared circular frequencies in 1/s², negative where the state is unstable (complex for flutter under follower
        loads); otherwise NaN.
    poles : ndarray (k,) of complex
        Exponents s of ``exp(s t)`` in 1/s, of each conjugate pair the one with positive imaginary part.
    ratios : ndarray (k,)
        Damping ratios ``-Re s / |s|``.
    coordinates : list of str
        Names of the rows of `shapes`.
    """

    frequencies: np.ndarray
    shapes: np.ndarray
    squares: np.ndarray
    poles: np.ndarray
    ratios: np.ndarray
    coordinates: list

    @property
    def stable(self):
        """True if no motion found grows."""
        return bool(np.all(self.poles.real <= 1e-7 * np.abs(self.poles).max(initial=0.0)))


def modes(build, inputs=None, *, count=None, damped=False, spinning=None, t=0.0, state=-1, dense=None, solver=None):
    """Eigenfrequencies and shapes about an equilibrium.

    Parameters
    ----------
    build : Path, System, Equations or callable
        Of a `Path` from `static` or `arc_length` one state is taken; otherwise the equilibrium at time `t` that `static` finds, or, of what
        floats freely (it has modes of frequency zero), the one nearest to the start.
    inputs : mapping name -> float, optional
        Of the callable.
    count : int, optional
        Number of modes: those of the smallest absolute frequency; 6, or all there are, if left out.
    damped : bool
        With velocity-dependent forces (the quadratic problem); about a steady rotation Coriolis forces count in any case.
    spinning : float or tuple of three floats, optional
        See `static`: vibrations about a steady rotation, seen in the turning frame; a path or equations have their own.
    t : float
        Time, in s, at which loads and drives are taken, unless a path is given.
    state : int
        Which of a path's states.
    dense : bool, optional
        Solve the whole problem; by default up to 120 coordinates, or where Lanczos' method fails.
    solver : str, optional
        Back end of `flexmbd.linalg.direct`, where the problem stays sparse, and of the equilibrium; if left out, that of the equations or
        path, else "superlu". Others are "klu", "umfpack", "pardiso".

    Returns
    -------
    Modes

    Raises
    ------
    ModelError
        If there is no equilibrium, or the iteration does not converge.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> cart = s.body("cart", mass=2.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), cart.centre))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(-1.0, 0.0), cart.centre, stiffness=200.0, damping=4.0, length=1.0))
    >>> fm.modes(s).frequencies.round(6).tolist()  # rad/s
    [10.0]
    >>> fm.modes(s, damped=True).ratios.round(6).tolist()  # c / (2 (k m)**0.5)
    [0.1]
    """
    if count is not None:
        whole("count", count)
    e = equations_of(build, inputs, spinning)
    e = e.using(solver)
    refuse_states(e.problem)
    state = build.state(state) if isinstance(build, Path) else _at_rest(e, t)
    K = e.stiffness(state.q, None, state.t, state.turns) + e.curvature(state.q, state.multipliers, state.t)
    D = e.damping(state.q, None, state.t, state.turns) if damped else e.coriolis if e.coriolis.nnz else None
    G, _ = e.scaled(e.jacobian(state.q, state.t))
    W = dia_array((e.weights[None, :], [0]), shape=(e.n, e.n))  # without it, slopes of small parts have no mass beside that of places
    K, M, D = (None if A is None else csr_array(W @ A @ W) for A in (K, e.mass_at(state.q, state.t, state.turns), D))
    free = freedom(e, G)
    most = free if D is None else 2 * free
    if count is not None and count > most:
        has = f"{free} degree{'s' * (free != 1)} of freedom" + ("" if D is None else ", two poles each")
        raise ModelError(f"count is {count}; it must be at most {most}, because the system has {has}")
    count = min(6, most) if count is None else int(count)
    how = _solvers(M, K, D, G, count, e.solver)
    try:
        dense = (e.n <= DENSE if dense is None else dense) or count > e.n - 2  # Lanczos needs room
        poles, squares, shapes = how(dense=dense)
    except Singular:
        raise StaticsError(f"the equations of vibration are singular: {free_motion(e, state)}") from None
    except ArpackError:  # few finite modes in all, as a rule
        if e.n > 10 * DENSE:
            raise ModelError(f"{count} vibrations could not be found", remedy="ask for fewer modes, or pass dense=True") from None
        poles, squares, shapes = how(dense=True)
    shapes = W @ shapes
    if D is not None:
        shapes = shapes / shapes[np.abs(shapes).argmax(axis=0), np.arange(len(poles))]
    swings = np.abs(poles.imag) > 1e-9 * np.maximum(np.abs(poles), 1e-300)
    frequencies = np.where(swings, np.abs(poles.imag), np.where(np.abs(poles) > 0, np.nan, 0.0))
    ratios = -poles.real / np.where(np.abs(poles) > 0, np.abs(poles), 1.0)
    return Modes(frequencies, shapes, squares, poles, ratios, list(e.coordinates))


def freedom(equations, G):
    """Degrees of freedom; of large systems as if no row depended on others."""
    rows = G.shape[0]
    if rows and equations.n <= DENSE:
        rows = np.linalg.matrix_rank(G.toarray(), tol=1e-10 * np.abs(G.data).max(initial=0.0))
    return equations.n - int(rows)


def _at_rest(equations, t):
    """A state of equilibrium at a time: what `static` finds, or, where that is not unique, the nearest to the start."""
    try:
        return at_start(equations, t, TOLERANCE, ITERATIONS)[0]
    except StaticsError:
        start = assembled(equations, t)
        small = np.abs(equations.stiffness(start.q, None, t, start.turns).diagonal() * equations.weights**2).max(initial=0.0)
        try:
            return newton(equations, start, TOLERANCE, ITERATIONS, resistance=1e-12 * (small or 1.0) / equations.weights**2)[0]
        except (NotConverged, Singular):
            pass
        raise


def _solvers(M, K, D, G, count, solver):
    """Function that gives poles, squares and shapes, by either method."""

    def solve(*, dense):
        if D is not None:
            poles, shapes = _dense_damped(K, M, D, G, count) if dense else _sparse_damped(K, M, D, G, count, solver)
            return poles, np.full(len(poles), np.nan), shapes
        squares, shapes = _dense(K, M, G, count) if dense else _sparse(K, M, G, count, solver)
        poles = np.sqrt(-squares.astype(complex))
        return np.where(poles.imag < 0, -poles, poles), squares, shapes

    return solve


def _basis(G, n):
    return null_space(G.toarray(), rcond=1e-10) if G.shape[0] else np.eye(n)


def _dense(K, M, G, count):
    """Squared frequencies and mass-normalised shapes by QZ on the null space of the constraints."""
    Z = _basis(G, K.shape[0])
    k, m = Z.T @ (K @ Z), Z.T @ (M @ Z)
    (a, b), vectors = eig(k, m, homogeneous_eigvals=True)
    finite = np.abs(b) > 1e-13 * np.abs(b).max(initial=0.0)
    squares, vectors = (a[finite] / b[finite]), vectors[:, finite]
    order = np.argsort(np.abs(squares))[:count]
    return _real(squares[order], Z @ vectors[:, order], M)


def _real(squares, shapes, M):
    """Real numbers where they are; shapes with modal mass 1."""
    if np.all(np.abs(squares.imag) <= 1e-9 * np.abs(squares).max(initial=0.0)):
        squares = squares.real
        turn = np.abs(shapes).argmax(axis=0)
        phase = shapes[turn, np.arange(shapes.shape[1])]
        shapes = (shapes * (np.abs(phase) / phase)).real
    mass = np.abs(np.einsum("ik,ik->k", np.conj(shapes), M @ shapes))
    return squares, shapes / np.sqrt(mass)


def _inverse(A, G, solver):
    """Solver of ``A x + G' l = b, G x = 0``."""
    saddle = Saddle(A, G, columns=np.ones(len(A.indptr) - 1), solver=solver)
    if saddle.factors.ratio < 1e-14:
        raise Singular
    return lambda b: saddle.solve(b, np.zeros(G.shape[0]))[0]


def _sparse(K, M, G, count, solver):
    """Squared frequencies nearest to zero by shift-invert Lanczos (Arnoldi if the stiffness is not symmetric)."""
    n = K.shape[0]
    symmetric = abs(K - K.T).max() <= 1e-10 * abs(K).max()

    def near(shift):
        solve = _inverse(K - shift * M, G, solver)
        inverse = LinearOperator((n, n), matvec=solve, dtype=float)
        start = solve(M @ np.random.default_rng(0).normal(size=n))
        return (eigsh if symmetric else eigs)(K, count, M, shift, v0=start, OPinv=inverse, tol=1e-13)

    try:
        squares, shapes = near(0.0)
    except Singular:  # motions without stiffness: shift a little below zero, by a measure that the first run gives
        squares, _ = near(-1e-9 * np.abs(K.diagonal()).max() / np.abs(M.diagonal()).max())
        squares, shapes = near(-0.1 * np.abs(squares).max())
    order = np.argsort(np.abs(squares))
    return _real(squares[order], shapes[:, order], M)


def _dense_damped(K, M, D, G, count):
    """Poles with the smallest modulus by QZ on the null space, linearised to first order."""
    Z = _basis(G, K.shape[0])
    k, m, d = (Z.T @ (A @ Z) for A in (K, M, D))
    f, one = len(k), np.eye(len(k))
    size = np.sqrt(np.abs(k).max(initial=0.0) / max(np.abs(m).max(initial=0.0), 1e-300)) or 1.0  # unit of time that makes both alike
    left = np.block([[np.zeros((f, f)), one], [-k, -size * d]])
    right = np.block([[one, np.zeros((f, f))], [np.zeros((f, f)), size * size * m]])
    (a, b), vectors = eig(left, right, homogeneous_eigvals=True)
    finite = np.abs(b) > 1e-13 * np.abs(b).max(initial=0.0)
    return _upper(size * a[finite] / b[finite], Z @ vectors[:f, finite], count)


def _sparse_damped(K, M, D, G, count, solver):
    """Poles with the smallest modulus by Arnoldi on the inverse of the first-order problem."""
    n, solve = K.shape[0], _inverse(K, G, solver)

    def inverse(y):
        x, v = y[:n], y[n:]
        return np.r_[-solve(D @ x + M @ v), x]

    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    start = inverse(inverse(np.random.default_rng(0).normal(size=2 * n)))
    values, vectors = eigs(operator, 2 * count, v0=start, tol=1e-13)
    keep = np.abs(values) > 1e-14 * np.abs(values).max()
    return _upper(1.0 / values[keep], vectors[:n, keep], count)


def _upper(poles, shapes, count):
    """Of each conjugate pair the pole above, sorted by modulus."""
    above = poles.imag >= -1e-9 * np.abs(poles)
    poles, shapes = poles[above], shapes[:, above]
    order = np.argsort(np.abs(poles))[:count]
    return poles[order], shapes[:, order]
