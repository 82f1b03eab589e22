"""One three-node element of an ANCF beam: mass, weight, elastic forces and damping (docs/theory/ancf_beams.md)."""

from functools import cache
from math import sqrt

from flexmbd.bodies.ancf_beam_elastic import KERNELS
from flexmbd.language.nodes import in_vectors
from flexmbd.language.quadratic import dot

NUMBERS = ("length", "line_mass", "line_y", "line_z", "EA", "GA_y", "GA_z", "GJ", "EI_y", "EI_z", "GA")
GAUSS = (0.5 - sqrt(1.0 / 12.0), 0.5 + sqrt(1.0 / 12.0))  # two points only: neither shear nor stretch locks
LOBATTO = (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)  # the nodes: sections can be rigid there, but not in between
MASS = ((4.0, 2.0, -1.0), (16.0, 2.0), (4.0,))  # of the shapes' products, times length / 30


def shapes(x):
    """Quadratic shapes at x from 0 to 1."""
    return (1.0 - x) * (1.0 - 2.0 * x), 4.0 * x * (1.0 - x), x * (2.0 * x - 1.0)


def slopes(x):
    """Their derivatives by x."""
    return 4.0 * x - 3.0, 4.0 - 8.0 * x, 4.0 * x - 1.0


def beam_element(element, damped, curved, rigid):
    """One element; its numbers are `NUMBERS`, the damping time if it is damped, twelve strains of the start if it is curved.

    With rigid sections it leaves out the forces of their strains (`AncfBeam.rows` holds them).
    """
    le, line_mass, line_y, line_z, *stiffness, plain = element.numbers[: len(NUMBERS)]
    rest = element.numbers[len(NUMBERS) :]
    time = rest[0] if damped else None
    inverse, weights = 1.0 / le, [0.5 * le * c for c in stiffness]
    for n, row in enumerate(MASS):
        for m, factor in enumerate(row, n):
            for k, line in enumerate((line_mass, line_y, line_z)):
                entry = (factor / 30.0) * le * line
                element.mass |= {(9 * n + 3 * k + i, 9 * m + 3 * k + i): entry for i in range(3)}
    mass = le * line_mass
    element.add_gravity([x * mass if k == 0 else 0.0 for x in LOBATTO for k in range(3)])
    for k, x in enumerate(GAUSS):
        start = rest[damped + 6 * k : damped + 6 * k + 6] if curved else (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        losses = [time * c for c in weights] if damped else []
        element.point(damped_point if damped else elastic_point, vectors(x), (inverse, *weights, *start, *losses))
    for n, weight in enumerate(() if rigid else LOBATTO):
        _section(element, n, weight * le * stiffness[0], weight * le * plain, time)


def vectors(x):
    """p, a, b, u, w at a point: which vector of a node, and the weights by node."""
    f, df = shapes(x), slopes(x)
    return (0, df), (1, f), (2, f), (1, df), (2, df)


def elastic_point(graph, y, v, numbers):
    """Forces of stretch, shear, twist and bending at a point, and their energy; numbers: 1/l, six stiffnesses, six strains of the start."""
    arguments = in_vectors(y, 3), numbers[0], numbers[1:7], numbers[7:13]
    force, energy = graph.call(KERNELS.force, arguments, 15, _stiffness(graph)), graph.call(KERNELS.energy, arguments)
    return force, {"potential": energy, "strain_energy": energy}


def damped_point(graph, y, v, numbers):
    """The same with damping; its six numbers follow."""
    force, quantities = elastic_point(graph, y, v, numbers)
    drag = graph.call(KERNELS.drag, (in_vectors(y, 3), in_vectors(v, 3), numbers[0], numbers[13:]), 15, _viscosity(graph))
    lost = graph.dot(zip(drag, v, strict=True))
    return [a + b for a, b in zip(force, drag, strict=True)], quantities | {"dissipated": lost}


def _section(element, n, young, shear, time):
    """Forces of the section's own strains at node n: ``(a.a - 1)/2``, ``(b.b - 1)/2``, ``a.b``."""
    at = 9 * n + 3
    a, b = element.q[at : at + 3], element.q[at + 3 : at + 6]
    strains = 0.5 * (dot(a, a) - 1.0), 0.5 * (dot(b, b) - 1.0), dot(a, b)
    stress = [c * e for c, e in zip((young, young, shear), strains, strict=True)]
    energy = 0.5 * dot(stress, strains)
    element.add("potential", energy)
    element.add("strain_energy", energy)
    if time is not None:
        va, vb = element.v[at : at + 3], element.v[at + 3 : at + 6]
        rates = dot(a, va), dot(b, vb), dot(a, vb) + dot(b, va)
        drag = [time * c * r for c, r in zip((young, young, shear), rates, strict=True)]
        element.add("dissipated", dot(drag, rates))
        stress = [s + d for s, d in zip(stress, drag, strict=True)]
    for i in range(3):
        element.force[at + i] = element.force[at + i] - (stress[0] * a[i] + stress[2] * b[i])
        element.force[at + 3 + i] = element.force[at + 3 + i] - (stress[1] * b[i] + stress[2] * a[i])


def _stiffness(graph):
    """Tangent of the force."""

    @cache
    def partial(arguments):
        kernel, places = KERNELS.tangent
        return _mirrored(zip(places, graph.call(kernel, arguments, kernel.results), strict=True))

    return partial


def _viscosity(graph):
    """Tangent of the drag."""

    @cache
    def partial(arguments):
        kernel, places, viscous = KERNELS.drag_tangent
        k = graph.call(kernel, arguments, kernel.results)
        out = dict(zip(places, k[: len(places)], strict=True))
        by_rate = _mirrored(zip(viscous, k[len(places) :], strict=True))
        return out | {(i, 15 + j): x for (i, j), x in by_rate.items()}

    return partial


def _mirrored(entries):
    """Entries of a symmetric tangent from those on and above the diagonal."""
    return {place: x for (i, j), x in entries for place in ((i, j), (j, i))}
