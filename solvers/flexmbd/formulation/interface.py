"""What elements, contacts, films and outputs are handed of a system's equations, whatever coordinates these are in."""

from flexmbd.errors import ModelError
from flexmbd.language.kinds import VARIABLE
from flexmbd.language.tracing import sincos
from flexmbd.registry import ARMED, NEWTON, ContactState, EnergyAccounts, Event, ExtraState, Percussion, UnilateralContact


class Interface:
    """Share of a formulation that does not depend on what its coordinates are.

    A formulation gives in addition, of points and bodies: `place` (position, as what has derivatives by the coordinates), `values` and
    `rates` of such, `velocity`, `spin`, `direction` (a vector fixed in a body); and takes `force` at a point and `torque` on a body.
    With `time_derivative` and `force_on` these ten are all that elements read and write of the motion (`formulation.natural` has those
    of natural coordinates).

    It reads `graph`, `q`, `v`, `time`, `generalized`, `states`, `contacts`, `unilaterals`.
    """

    # ---- numbers and states
    def number(self, owner, key):
        """Node of a parameter of an element or a body."""
        try:
            return self._numbers[f"{self._owners.get(owner.name, '')}{owner.name}.{key}"]
        except KeyError:
            told = f"'{owner.name}' asks for its number '{key}', which its parameters() do not name"
            raise ModelError(told, element=owner.name) from None

    def sincos(self, x):
        """Nodes of sine and cosine."""
        return sincos(self.graph, x)

    def state(self, owner, key, *, controlled=False, contact=None):
        """Node of a further first-order state; `controlled` states take part in the step's error."""
        name = f"{owner.name}.{key}"
        if name not in self._state_index:
            self._state_index[name] = len(self._state_index)
            made = ExtraState(name, controlled, contact, self.graph.const(0.0))
            if isinstance(self.states, tuple):  # the equations are finished
                self.late[name] = made
            else:
                self.states.append(made)
        return self.graph.var("s", self._state_index[name])

    def state_rate(self, node, rate):
        """Set the time derivative of a state."""
        (*self.states, *self.late.values())[self._number_of(node)].rate = rate

    def _number_of(self, node):
        """Number of a state by its node."""
        if node.kind is not VARIABLE or node.value.space != "s":
            raise ModelError(f"{node!r} is no further state", remedy="make one by equations.state")
        return node.value.number

    # ---- coordinates
    def gradient(self, node):
        """Derivatives of a node by the number of the coordinate."""
        return {i: self.graph.derivative(node, self.q[i]) for i in self.graph.space("q").of(node)}

    def time_derivative(self, node):
        """Node of the total time derivative of a node of coordinates and time."""
        g = self.graph
        total = g.derivative(node, self.time)
        for i, slope in self.gradient(node).items():
            total = total + slope * self.v[i]
        return total

    def force_on(self, node, magnitude):
        """Add the generalized force `magnitude` that acts in the direction in which a node of the coordinates grows."""
        for i, slope in self.gradient(node).items():
            self.generalized[i] = self.generalized[i] + magnitude * slope

    def force_along(self, velocity, force):
        """Add the generalized force of a force whose power is its product with a velocity, linear in those of the coordinates."""
        g = self.graph
        for i in sorted(g.space("v").of(*velocity)):
            slopes = (g.derivative(u, self.v[i]) for u in velocity)
            self.generalized[i] = self.generalized[i] + g.dot(zip(force, slopes, strict=True))

    # ---- energy books
    def potential(self, node):
        """Add potential energy."""
        self.potential_energy = self.potential_energy + node

    def contact_energy(self, node):
        """Add elastic energy of a contact, whose law gives its whole power to the book "contact"."""
        self.potential(node)
        self.stored_energy = self.stored_energy + node

    def power_of(self, *books):
        """Node of the sum of books."""
        return sum((self.powers.get(book, self.graph.const(0.0)) for book in books), self.graph.const(0.0))

    def power(self, book, node):
        """Add power to a book: "dissipated", "contact" (taken up by contacts, lost or stored) or "external"."""
        self.powers[book] = self.powers.get(book, self.graph.const(0.0)) + node

    def couple(self, force):
        """Register a force that depends on reactions, a `Coupled`: it is solved together with the accelerations."""
        self.coupled.append(force)

    # ---- contacts
    def contact(self, element, penetration, rate, minimum=None):
        """Register a contact whose onset and end are located; returns its `ContactState`.

        Without a `minimum` its least impact velocity is that of `flexmbd.running.scales`.
        """
        j, g = len(self.contacts), self.graph
        minimum = g.var("least_impact_velocity", j) if minimum is None else minimum
        mode = g.var("mode", j)
        active = g.both(g.greater(penetration, 0.0), g.greater(mode, 0.5 * ARMED))
        facts = not element.law.continuous_onset, element.continuous
        self.contacts.append(Event(element.name, penetration, rate, minimum, element, *facts))
        return ContactState(j, mode, g.var("impact_velocity", j), g.var("impacts", j), active, minimum)

    def stop(self, element, quantity, rate):
        """Register a condition that holds where a quantity is above zero, and whose onset ends the run."""
        self.contacts.append(
            Event(element.name, quantity, rate, self.graph.var("least_impact_velocity", len(self.contacts)), element, stops=True)
        )

    def event(self, element, quantity, rate, then, *, period=None):
        """Register an event: where a quantity rises through zero, or is not below zero at the start, states of the element change at once.

        Parameters
        ----------
        quantity, rate : Node
            Of time, coordinates, velocities and the element's own states, and its time derivative.
        then : dict Node -> Node
            What states become, by what was before; they must be `controlled` if forces depend on them.
        period : Node, optional
            Of a clock, whose `quantity` rises through zero at whole multiples of this time alone: a step ends there.
        """
        minimum = self.graph.var("least_impact_velocity", len(self.contacts))
        values = tuple((self._number_of(state), self.graph.const(x)) for state, x in then.items())
        self.contacts.append(Event(element.name, quantity, rate, minimum, element, jumps=True, assigns=values, period=period))

    def known_time(self, node):
        """Let a step end at a time, a node of numbers: something jumps there that is not seen in the equations."""
        self.times.append(node)

    def unilateral(self, element, key, gap, rates, *, numbers, groups=(0, 0, 0), rule=NEWTON, bulges=True):
        """Register a contact of bodies that cannot penetrate each other, for schemes that treat such contacts.

        Parameters
        ----------
        element : Element
        key : str
            What names of its states begin with, after the element's name.
        gap, rates, numbers, groups, rule, bulges
            See `UnilateralContact`. Rates are linear in the velocities.

        Returns
        -------
        Percussion
            Nodes of what the scheme finds: force and mode are further states.
        """
        if not self.unilaterals:
            self.state(EnergyAccounts, "gained")  # `book_gain` finds it before the states of the first contact
        mode, force, impulse, count, speed, loss, *others = (
            self.state(element, f"{key}{name}") for name in (*Percussion.STATES, *(f"other{k}" for k in range(1, len(rates))))
        )
        slopes = [dict(self.graph.slopes(rate, self.v)) for rate in rates]
        found = Percussion(mode, force, impulse, count, speed, loss, tuple(others))
        facts = element.name, gap, tuple(rates), slopes[0], tuple(slopes[1:]), groups, tuple(numbers), rule, found, element, bulges
        self.unilaterals.append(UnilateralContact(*facts))
        self.state_rate(impulse, force)
        # what is held does no work: within a step its rates are off by the step's order, and shares of a load may be large
        rubs = self.graph.dot(zip(others, rates[1:], strict=True))
        self.state_rate(loss, self.graph.select(self.graph.greater(mode, 1.5), 0.0, -rubs))
        for own, direction in zip((force, *others), slopes, strict=True):  # what accelerations and reactions follow from
            for i, slope in direction.items():
                self.generalized[i] = self.generalized[i] + own * slope
        return found

    # ---- kernels and outputs
    def use(self, kernels):
        """Read all kernels of a law, so that what is wrong with one is said although no scheme of this run calls it."""
        self._use(f for f in kernels if callable(f))

    def _use(self, kernels):
        for f in kernels:
            self.graph.kernel(f)

    def keep_nodes(self, element, **nodes):
        """Keep nodes for the element's outputs."""
        self._memory[element.name] = nodes

    def nodes_of(self, element):
        """Nodes kept by `keep_nodes`."""
        return self._memory[element.name]
