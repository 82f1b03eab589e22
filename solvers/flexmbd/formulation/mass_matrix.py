"""The mass matrix: constant, or of nodes of the coordinates, with the forces that follow from its kinetic energy.

With ``T(q, v, t) = v.M v/2`` of what keeps its mass, Lagrange's equations put on the right-hand side::

    dT/dq - (dM/dt) v,    dM/dt = sum_k M_qk v_k + M_t

(centrifugal and Coriolis forces, or gyroscopic terms), by derivatives of the graph.  Mass that leaves a body with the velocity it has
there (`expelled`) takes its momentum with it, and adds no such terms (Meshchersky).
"""

from flexmbd.equations.inertia import Together, symmetric_product
from flexmbd.errors import ModelError
from flexmbd.language.tracing import substitute


class MassMatrix:
    """Share of `NaturalCoordinates` that owns the mass matrix; it reads `graph`, `n`, `q`, `v`, `groups`, and writes `generalized` and
    books of energy.

    Attributes
    ----------
    inertia : Inertia
        Elements' share of the mass matrix is added to it; a formulation with an operator of its own gives it by `use_inertia`.
    """

    def add_mass(self, entries, *, expelled=False):
        """Add entries ``{(i, j): node}`` of the upper triangle to the mass matrix, numbers or nodes of coordinates and time.

        With `expelled` they change because mass leaves; otherwise the forces of their kinetic energy are added.
        """
        g = self.graph
        entries = {key: x for key, x in ((key, g.const(x)) for key, x in entries.items()) if not x.zero}
        varying = {key: x for key, x in entries.items() if self._varies(x)}
        self.inertia.add(entries, varying=bool(varying))
        if not varying:
            return
        momenta = symmetric_product(g, varying, self.v)
        self._add_gyroscopic(momenta, 0.5 * g.dot(zip(momenta, self.v, strict=True)), expelled=expelled)

    def _add_gyroscopic(self, momenta, kinetic, *, expelled=False):
        """Add the forces of momenta ``M v`` and their kinetic energy that are no accelerations."""
        g = self.graph
        if expelled:
            self.power("dissipated", -self.time_derivative(kinetic))  # what leaves takes its kinetic energy with it
            return
        for i in sorted({*g.space("q").of(kinetic), *(i for i, p in enumerate(momenta) if not p.zero)}):
            self.generalized[i] = self.generalized[i] + g.derivative(kinetic, self.q[i]) - self.time_derivative(momenta[i])
        self.power("external", -g.derivative(kinetic, self.time))

    def use_inertia(self, inertia, *, gyroscopic=True):
        """Take an operator for the mass matrix (`equations.inertia`), to which elements may add, and the forces of its kinetic energy.

        Without `gyroscopic` the formulation adds these forces itself.
        """
        self.inertia = Together(inertia, self.inertia)
        if gyroscopic and not inertia.constant:
            self._add_gyroscopic(inertia.apply(self.v), inertia.kinetic(self.v))

    def add_kinetic(self, energy):
        """Add a kinetic energy, J: its masses, and the forces that follow from it.

        Parameters
        ----------
        energy : Node
            Of coordinates, velocities and time, of degree two at most in the velocities. What is of degree one or none (places that move
            whatever the coordinates do) gives forces alone, and their power counts as external: `kinetic_energy` is what is of degree two.

        Raises
        ------
        ModelError
            Where the masses would depend on velocities.
        """
        g, index = self.graph, {x.value: i for i, x in enumerate(self.v)}
        used = sorted(index[name] for name in g.variables(energy) if name in index)
        momenta = {i: g.derivative(energy, self.v[i]) for i in used}
        entries = {(i, j): g.derivative(momenta[i], self.v[j]) for i in used for j in used if i <= j}
        if index.keys() & {name for x in entries.values() for name in g.variables(x)}:
            raise ModelError("a kinetic energy must be of degree two at most in the velocities", remedy="give its masses by `add_mass`")
        self.add_mass(entries)
        still = dict.fromkeys(self.v, g.const(0.0))
        rest, *moved = substitute(g, [energy, *momenta.values()], still)
        moved = {i: x for i, x in zip(momenta, moved, strict=True) if not x.zero}
        along = g.dot((x, self.v[i]) for i, x in moved.items())
        for i in sorted({*g.space("q").of(along + rest), *moved}):
            force = g.derivative(along + rest, self.q[i]) - (self.time_derivative(moved[i]) if i in moved else 0.0)
            self.generalized[i] = self.generalized[i] + force
        self.power("external", -g.derivative(along, self.time) + g.dot((x, self.v[i]) for i, x in self.gradient(rest).items()))

    def add_inertia(self, entries, rates, *, expelled=False):
        """Add the kinetic energy ``sum_kl J_kl r_k r_l / 2`` of rates that are linear in the velocities.

        Parameters
        ----------
        entries : dict (k, l) -> Node
            Upper triangle of J, of coordinates and time.
        rates : sequence of Node
        expelled : bool
            See `add_mass`.
        """
        g, total = self.graph, {}
        slopes = [dict(g.slopes(rate, self.v)) for rate in rates]
        for (k, m), inertia in entries.items():
            for one, other in {(k, m), (m, k)}:
                for i, x in slopes[one].items():
                    for j, y in slopes[other].items():
                        if i <= j:
                            total[i, j] = total.get((i, j), 0.0) + inertia * (x * y)
        self.add_mass(total, expelled=expelled)

    def _varies(self, node):
        return any(x.space in ("t", "q", "s") for x in self.graph.variables(node))

    def kinetic_energy(self):
        """Node of the kinetic energy."""
        return self.inertia.kinetic(self.v)
