"""Points at which a gradient-deficient ANCF element is integrated, and kernels of its energy and forces (`ancf_elastic`) by them.

- full: Gauss's rule with five points for the axial part (exact for Green's strain), with three for bending.
- reduced: three points for the axial part (Lobatto's 0, 1/2, 1; in the cable's first and last element Radau's, which leave out the cable's
  end; Gauss's if there is no other element), Gauss's with three points for bending.

A cubic line cannot bend without stretching somewhere.  Five points see all of that, and coarse elements are too stiff (membrane locking);
the strain at the nodes and in the middle is what the coordinates can make zero.  In a straight element the strain is quadratic in x and
the curvature linear, so three points each leave no motion without energy.

The tension of a free end is zero.  A point there would feel none, and the motion of a slender element that leaves the slope zero at both
other points would have no stiffness.
"""

from dataclasses import dataclass
from functools import cache, cached_property

from flexmbd.bodies.ancf_elastic import CableElement
from flexmbd.language.derived import Derived
from flexmbd.language.nodes import flat

GAUSS_3 = ((0.1127016653792583, 0.2777777777777778), (0.5, 0.4444444444444444), (0.8872983346207417, 0.2777777777777778))
GAUSS_5 = (
    (0.046910077030668004, 0.11846344252809454), (0.23076534494715845, 0.23931433524968324), (0.5, 0.28444444444444444),
    (0.7692346550528415, 0.23931433524968324), (0.953089922969332, 0.11846344252809454),
)  # fmt: skip
LOBATTO_3 = ((0.0, 0.16666666666666666), (0.5, 0.6666666666666666), (1.0, 0.16666666666666666))
RADAU_3 = ((0.0, 0.1111111111111111), (0.3550510257216822, 0.5124858261884216), (0.8449489742783178, 0.3764030627004673))
STRAINS = {"green": True, "engineering": False}
CURVATURES = {"exact": 3, "material": 2, "small": 0}


@dataclass(frozen=True)
class QuadratureRule:
    """Points of a rule; those of the axial part are `given` to kernels where elements of one group may have different ones."""

    given: bool

    @property
    def given_numbers(self):
        """How many numbers `points` are."""
        return 6 if self.given else 0

    def grouped(self, points):
        """The last argument of kernels, if there is one, of the numbers that `points` gives."""
        return (tuple(zip(points[::2], points[1::2], strict=True)),) if self.given else ()

    def points(self, first, last):
        """Axial places and weights in turn that kernels are given, for an element that is or is not a cable's first, last one."""
        if not self.given:
            return ()
        mirrored = tuple((1.0 - x, weight) for x, weight in reversed(RADAU_3))
        table = GAUSS_3 if first and last else mirrored if first else RADAU_3 if last else LOBATTO_3
        return tuple(number for row in table for number in row)


RULES = {"reduced": QuadratureRule(given=True), "full": QuadratureRule(given=False)}


class CableKernels:
    """Kernels of an element, made when they are asked for.

    Their arguments are the vectors (c, a, b), then their rates (damping) or those at the step's start (conserving), then ``EA l`` and
    ``EI/l`` (for damping times its times), then `Rule.grouped`'s. Tangents are entries row by row, of symmetric ones those from the
    diagonal on; `damping_tangent` has those by (c, a, b), then the symmetric ones by the rates.
    """

    def __init__(self, dimension, strain, curvature, integration):
        self.name = f"cable_{dimension}_{strain}_{curvature}_{integration}"
        self._rule, self._measures, self._vectors = RULES[integration], (STRAINS[strain], CURVATURES[curvature]), ((0.0,) * dimension,) * 3

    def _made(self, what, results, states=1):
        """A kernel of so many vectors of vectors; ``results(element, *arguments)``."""

        def write(graph, *arguments):
            *vectors, axial, bending = arguments[: states + 2]
            element = CableElement(graph, *self._measures, *(arguments[states + 2 :] or (GAUSS_5,)), GAUSS_3)
            return results(element, *map(flat, vectors), axial, bending)

        return Derived(f"{self.name}_{what}", write, *[self._vectors] * states, 0.0, 0.0, *self._rule.grouped((0.0,) * 6))

    @cached_property
    def energy(self):
        """Energy, J."""
        return self._made("energy", lambda e, *x: [e.energy(*x)])

    @cached_property
    def force(self):
        """Derivatives of the energy by c, a, b, J."""
        return self._made("force", lambda e, *x: e.derivatives(*x, False)[0])

    @cached_property
    def tangent(self):
        """Second derivatives of the energy."""
        return self._made("tangent", lambda e, *x: upper(e.derivatives(*x, True)[1]))

    @cached_property
    def damping(self):
        """Derivatives of half the lost power by the rates of c, a, b."""
        return self._made("damping", lambda e, *x: e.drag(*x, False)[0], 2)

    @cached_property
    def damping_tangent(self):
        """Derivatives of `damping`."""

        def both(element, *x):
            _, by_place, by_rate = element.drag(*x, True)
            return [*flat(by_place), *upper(by_rate)]

        return self._made("damping_tangent", both, 2)

    @cached_property
    def conserving(self):
        """Force of a step from its middle and its start, J."""
        return self._made("conserving", lambda e, *x: e.mean(*x, False)[0], 2)

    @cached_property
    def conserving_tangent(self):
        """Its derivatives by the middle."""
        return self._made("conserving_tangent", lambda e, *x: flat(e.mean(*x, True)[1]), 2)


cable_kernels = cache(CableKernels)


def upper(matrix):
    """Entries of a symmetric matrix from the diagonal on, row by row."""
    return [x for i, row in enumerate(matrix) for x in row[i:]]


def square(entries, size, first=0):
    """Entries (row, column) -> Node of a matrix, with columns from `first` on."""
    return {(k // size, first + k % size): x for k, x in enumerate(entries)}


def symmetric(entries, size, first=0):
    """The same of the entries that `upper` gives."""
    rest = iter(entries)
    half = {(i, j): next(rest) for i in range(size) for j in range(i, size)}
    return {(i, first + j): x for (a, b), x in half.items() for i, j in ((a, b), (b, a))}
