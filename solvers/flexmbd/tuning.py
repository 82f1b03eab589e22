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
    single_elements, single_size : int
        Elements alike that are still written one by one, if they have at most so many coordinates: straight-line code is faster, but slow
        to compile.
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
    laws : int
        Values of laws that a Rosenbrock method takes at most: the inverse of their matrix is written out, some four times their cube of
        operations.
    """

    piece: int = 3000
    single_elements: int = 3
    single_size: int = 12
    blocks: int = 700
    dense: float = 3.0
    alike: int = 4
    supernode: int = 16
    sized_run: int = 8
    kept_factors: bool = False
    laws: int = 16


USUAL = Tuning()
