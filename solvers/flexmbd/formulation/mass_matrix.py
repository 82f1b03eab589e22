"""The mass matrix: constant, or of nodes of the coordinates, with the forces that follow from its kinetic energy.

With ``T(q, v, t) = v.M v/2`` of what keeps its mass, Lagrange's equations put on the right-hand side::

    dT/dq - (dM/dt) v,    dM/dt = sum_k M_qk v_k + M_t

(centrifugal and Coriolis forces, or gyroscopic terms), by derivatives of the graph.  Mass that leaves a body with the velocity it has
there (`expelled`) takes its momentum with it, and adds no such terms (Meshchersky).
"""

from flexmbd.equations.index1 import inertial, symmetric_product


class MassMatrix:
    """Share of `Build` that owns the mass matrix; it reads `graph`, `n`, `q`, `v`, `pools`, and writes `generalized` and books of energy.

    Attributes
    ----------
    mass : dict (i, j) -> Node
        Upper triangle, less that of pools.
    constant_mass : bool
        It depends neither on coordinates nor on time.
    """

    def add_mass(self, entries, *, expelled=False):
        """Add entries ``{(i, j): node}`` of the upper triangle to the mass matrix, numbers or nodes of coordinates and time.

        With `expelled` they change because mass leaves; otherwise the forces of their kinetic energy are added.
        """
        g = self.graph
        entries = {key: x for key, x in ((key, g.const(x)) for key, x in entries.items()) if not x.zero}
        for key, x in entries.items():
            self.mass[key] = self.mass[key] + x if key in self.mass else x
        varying = {key: x for key, x in entries.items() if self._varies(x)}
        if not varying:
            return
        self.constant_mass = False
        momenta = symmetric_product(g, varying, self.v)
        kinetic = 0.5 * g.dot(zip(momenta, self.v, strict=True))
        if expelled:
            self.power("dissipated", -self.time_derivative(kinetic))  # what leaves takes its kinetic energy with it
            return
        for i, (p, q) in enumerate(zip(momenta, self.q, strict=True)):
            self.generalized[i] = self.generalized[i] + g.derivative(kinetic, q) - self.time_derivative(p)
        self.power("external", -g.derivative(kinetic, self.time))

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
        total = self.graph.dot((p, v) for p, v in zip(inertial(self, self.v), self.v, strict=True))
        for pool in self.pools:
            v = pool.variables("y")
            total = total + pool.sum(self.graph.dot(zip(pool.inertial(v), v, strict=True)))
        return 0.5 * total
