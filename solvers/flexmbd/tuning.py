"""From which sizes on code takes another form; each number was measured where its comment says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Thresholds of code generation: they change speed and rounding, not what is computed. Part of what tells compiled models apart.

    Attributes
    ----------
    piece : int
        Operations of a piece of a function: one of 8,000 takes 1.6 s to compile, of 16,000 5 s, of 31,000 18 s.
    units : int
        Nodes of a model from which on its functions are written in units, of which those alike are compiled once. Rows of 9, 21 and 81
        planar bodies have 3,450, 8,350 and 32,900: in units their accelerations take 1.24, 1.01 and 0.95 times as long, and the first
        result 1.0, 0.34 and 0.28 times.
    unit_function : int
        Operations of such a function at least.
    unit_share : float
        Operations of its units that are not alike, at most, by all of them.
    unit_rows : int
        Rows of a column of elimination that are a unit, where it has more than twice as many: all that a unit works with is then in
        registers. A manipulator of six joints takes 0.85 times as long with 2, 1.0 times with 4 and with 8.
    unit_lanes : int
        Operations of a unit from which on it does a register's lanes after one another, not all at once: its values stay in registers, and
        it compiles in half of the time. With 0, 12, 16, 24 a manipulator of six joints takes 0.83, 0.84, 0.80, 0.80 times as long, a row of
        21 bodies 1.08, 1.00, 1.01, 1.01, and their first results 0.68, 0.68, 0.73, 0.73 and 0.88, 0.88, 0.88, 0.92 times.
    single_elements, single_size : int
        Elements alike that are still written one by one, if they have at most so many coordinates: straight-line code is faster, but slow
        to compile.
    product : int
        Entries of a matrix of numbers from which on its product with a vector is a loop; those of an inverse that rows of joints take at
        most.
    blocks : int
        Products of an elimination from which on it may be done in blocks at run time.
    dense : float
        If their products, zeros included, are at most so many times those of the sparse elimination.
    alike : int
        Unknowns of an element from which on it tells which unknowns stay together.
    supernode : int
        Unknowns in a supernode at most.
    sized_run : int
        Supernodes of one size, one after another, from which on they have kernels of their own.
    kept_factors : bool
        Factors of Newton's matrix are kept from step to step in small systems too, if they are in blocks.
    straight_series : int
        Products of a model's Taylor series times the square of their order, from which on higher orders are a loop.
    tree_loops : float
        With ``formulation = "auto"``: joints that close loops, by those that carry bodies, up to which a system is written as a tree.
        256 samples take, by natural coordinates (`benchmarks/formulations.py`), with their starts: planar chains of 2, 5, 20, 60 links
        0.89, 0.79, 0.77, 0.50 times, arms of 1, 3, 6, 12 joints 0.47, 0.43, 0.16, 0.18, chains of 1, 3, 6 balls 0.53, 0.36, 0.49, one and
        four free bodies 1.15 and 1.37 in the plane, 0.63 and 0.47 in space, a loop of 6 bodies in space 0.13, of 3 0.15, of 5, 10,
        20 in the plane 0.53, 0.63, 1.27. Without starts: a slider-crank 0.52, rows of 1 and
        12 four-bars 0.69 and 0.38; with `moreau` chains of 1, 5, 20 links 0.82, 0.45, 0.30, an arm of 6 joints 0.10.
        Arms of 1 and 3 joints in space with a cable of two elements at the tip take 0.75 and 0.43 times, of eight elements 0.75 and 0.32,
        with a beam of one element 0.65; with `generalized_alpha` 0.73, 0.35, 0.32 (arm of 3 with eight elements).
    tree_loop : int
        Coordinates of joints within one loop in the plane up to which it is written so: without starts loops of 5, 10, 15, 20, 30 links
        take 0.44, 0.55, 0.71, 1.10, 1.48 times.
    tree_coordinates : int
        Coordinates of such a tree at most, where steps are implicit: in joints' coordinates all are coupled. With `generalized_alpha`
        planar chains of 1, 5, 20 links take 0.63, 0.65, 1.29 times, arms of 3 and 6 joints 0.09 and 0.07, rows of 1 and 4 four-bars 0.64
        and 0.46; with `rosenbrock` 5 links 0.74, 3 joints 0.16.
    order_8 : float
        With ``integrator = "auto"``: tolerance up to which a smooth motion is that of `dop853`, else of `dormand_prince`. Samples
        a second, times those of the latter, at 1e-7, 1e-8, 1e-9, 1e-10, 1e-12 (`benchmarks/taylor_peers.py`, as trees): a double pendulum
        0.99, 1.08, 1.29, 1.58, 2.41, six rods 1.06, 1.24, 1.52, 1.87, 2.82, a top 2.0, 2.6, 3.3, 4.0, 6.1; errors of the pendulum and the
        rods are three to ninety times less besides, those of the top about the same.
    by_series, by_series_bodies : float, int
        With ``integrator = "auto"``: tolerance up to which a smooth motion of few bodies, up to which number, is that of `taylor`, in space
        of tops alone (bodies free or on balls on ground, without springs), and in natural coordinates up to `order_8`. Samples a second
        at errors of 1e-6, times those of `dormand_prince`: a double pendulum and six rods as trees 1.41 and 1.31; times those of `dop853`:
        the double pendulum as a tree at 1e-7, 1e-8, 1e-9, 1e-10, 1e-12 1.23, 1.45, 1.60, 1.72, 2.26, in natural coordinates at 1e-10 1.45;
        six rods as a tree at 1e-10 1.65; the top at 1e-8, 1e-10, 1e-12 in natural coordinates 2.1, 3.2, 5.1. At tolerances of 1e-7, 1e-9,
        1e-11 as trees: the top 1.4, 1.8, 2.5, a free body 1.6, 1.9, 2.5, but three tops with springs between them 0.4, 0.4, 0.5, and an arm
        of a ball and a hinge 0.2. The first run of six rods takes 0.8 s more to compile.
    laws : int
        Values of laws that a Rosenbrock method takes at most: the inverse of their matrix is written out, some four times their cube of
        operations.
    tree_algorithm : str
        How accelerations of joint coordinates are found: "articulated", "composite", "constraint_forces"
        (`formulation.trees.operators.ALGORITHMS`); "": composite bodies where no path to ground has more than eight velocities, else
        articulated ones.
    """

    piece: int = 3000
    units: int = 7000
    unit_function: int = 200
    unit_share: float = 0.7
    unit_rows: int = 2
    unit_lanes: int = 12
    single_elements: int = 3
    single_size: int = 12
    product: int = 200
    blocks: int = 700
    dense: float = 3.0
    alike: int = 4
    supernode: int = 16
    sized_run: int = 8
    kept_factors: bool = False
    straight_series: int = 12_000
    tree_loops: float = 0.5
    tree_loop: int = 17
    tree_coordinates: int = 12
    order_8: float = 5e-9
    by_series: float = 1e-6
    by_series_bodies: int = 8
    laws: int = 16
    tree_algorithm: str = ""


USUAL = Tuning()
