"""Rods of two rates in the plane: ends that move far, and a bending that vibrates about the chord (Wu, Gao and Zhong 2014)."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.joints.distance import Distance

UNITS = {"length": "m", "line_mass": "kg/m", "EI": "N m^2", "damping": "s"}


@dataclass(frozen=True, eq=False)
class Rod(Distance):
    """A rod with mass from point `a` to point `b`, hinged at both ends, whose `length` (m) stays; it bends in `modes` sines.

    Point masses (with or without a mass of their own), ground, and points of rigid bodies.  With the share x of the length from a,
    normal n of the chord (left of the way from a to b) and amplitudes ``a_k`` the place of its points is::

        r = (1 - x) r_a + x r_b + n sum_k a_k sin(k pi x)

    Its kinetic energy is that of the paper (11): velocities of the chord, rates of the deflection along n, and the product of both;
    what the deflection times the chord's rate of turn adds is left out, and so is the stiffening by a tension.  So it is for deflections
    that are small beside the length, and rates that are small beside the lowest frequency.

    Parameters
    ----------
    name : str
    a, b : Point
    length : float or ndarray, optional
        m; without it the distance at the start.
    line_mass : float or ndarray
        kg/m
    EI : float or ndarray
        Bending stiffness, N m²; of a rod that bends.
    modes : int
        Sines; 0: it is rigid.
    masses : dict str -> (float, float)
        Point masses on it by their names: share of the length from a, and kg.
    places : dict str -> float
        Further places whose deflection and place are outputs: shares of the length.
    damping : float or ndarray
        Of the bending, by its stiffness: s.
    amplitudes, rates : sequence
        Of the sines at the start, m and m/s; zero if left out.
    bent_by_weight : bool
        Its own weight bends it; the paper leaves that out.

    Raises
    ------
    ModelError
        For numbers that are not possible, and modes without a stiffness.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> tip = s.point_mass("tip", mass=0.5, position=(0.9, 0.0))
    >>> rod = s.add(fm.Rod("rod", s.ground.at(0.0, 0.0), tip.centre, line_mass=1.0, EI=20.0, modes=2, places={"middle": 0.5}))
    >>> fm.output_units(s)["rod.middle.deflection"]
    'm'
    """

    dimensions: ClassVar[tuple] = (2,)
    gives_mass: ClassVar[bool] = True

    line_mass: object = None
    EI: object = None
    modes: int = 0
    masses: dict = field(default_factory=dict)
    places: dict = field(default_factory=dict)
    damping: object = 0.0
    amplitudes: tuple = ()
    rates: tuple = ()
    bent_by_weight: bool = True

    def __post_init__(self):
        super().__post_init__()
        owner = f"rod '{self.name}'"
        if isinstance(self.modes, bool) or not isinstance(self.modes, int) or not 0 <= self.modes <= 30:
            told = f"{owner}: modes is {self.modes!r}; it must be a whole number from 0 (rigid) to 30"
            raise ModelError(told, element=self.name)
        for key in ("line_mass", "EI")[: 1 + bool(self.modes)]:
            if getattr(self, key) is None:
                raise ModelError(f"{owner}: {key} is missing", element=self.name, remedy=f"give it in {UNITS[key]}")
            object.__setattr__(self, key, check_number(owner, key, getattr(self, key), positive=True))
        check_range(owner, "damping", self.damping, at_least=0.0)
        for key, (share, mass) in self._on_it().items():
            if not key or not isinstance(key, str) or not key.isidentifier():
                raise ModelError(f"{owner}: {key!r} cannot be the name of a place on it", element=self.name, remedy="take letters")
            check_range(owner, f"place '{key}'", share, at_least=0.0, at_most=1.0)
            check_range(owner, f"mass '{key}'", mass, at_least=0.0)
        for key in ("amplitudes", "rates"):
            given = getattr(self, key) or (0.0,) * self.modes
            if len(given) != self.modes:
                told = f"{owner}: {key} has {len(given)} numbers; its modes are {self.modes}"
                raise ModelError(told, element=self.name)
            object.__setattr__(self, key, tuple(check_number(owner, key, x) for x in given))

    def _on_it(self):
        """Share of the length and mass by the name of each place."""
        try:
            found = {key: (share, mass) for key, (share, mass) in self.masses.items()} | {key: (x, 0.0) for key, x in self.places.items()}
        except (TypeError, ValueError, AttributeError):
            told = f"rod '{self.name}': masses are {self.masses!r} and places {self.places!r}"
            raise ModelError(told, element=self.name, remedy="masses={'name': (share of the length, kg)}, places={'name': share}") from None
        if len(found) < len(self.masses) + len(self.places):
            raise ModelError(f"rod '{self.name}': a mass and a place have the same name", element=self.name)
        return found

    def own_coordinates(self):
        """Amplitudes and their rates at the start."""
        return {"amplitudes": (self.amplitudes, self.rates)} if self.modes else {}

    def parameters(self):
        """Length, masses, places and stiffness."""
        found = super().parameters() | {"line_mass": self.line_mass}
        found |= {"EI": self.EI, "damping": self.damping} if self.modes else {}
        found |= {f"{key}.share": share for key, (share, _) in self._on_it().items()}
        return found | {f"{key}.mass": mass for key, (_, mass) in self.masses.items()}

    def unit(self, key):
        """SI unit of a number."""
        return {"share": "1", "mass": "kg"}.get(key.rpartition(".")[2]) or UNITS.get(key)

    def topology_key(self):
        """Sines, places, and whether its weight bends it."""
        return ("rod", self.modes, tuple(self.masses), tuple(self.places), self.bent_by_weight)

    def frequencies(self):
        """Frequencies of the bending alone, rad/s: ends at rest, with the masses on it, in its sines; (modes,) or (samples, modes)."""
        if not self.modes:
            return np.zeros(0)
        given = [self.length, self.line_mass, self.EI, *(x for pair in self._on_it().values() for x in pair)]
        count = max(np.size(x) for x in given)
        L, rho, EI = (np.broadcast_to(x, count) for x in given[:3])
        k = np.arange(1, self.modes + 1)
        stiffness = (0.5 * EI / L**3)[:, None] * (np.pi * k) ** 4
        mass = 0.5 * (rho * L)[:, None, None] * np.eye(self.modes)
        for share, m in self._on_it().values():
            shape = np.sin(np.pi * k * np.broadcast_to(share, count)[:, None])
            mass = mass + np.broadcast_to(m, count)[:, None, None] * shape[:, :, None] * shape[:, None, :]
        found = np.sqrt([eigh(np.diag(one), own, eigvals_only=True) for one, own in zip(stiffness, mass, strict=True)])
        return found[0] if all(np.ndim(x) == 0 for x in given) else found

    # ---- equations
    def apply(self, equations):
        """Masses and weights of the ends and of the bending, and what bends back."""
        g, number = equations.graph, lambda key: equations.number(self, key)
        half = 0.5 * (number("line_mass") * number("length"))
        third, shares, mixed = half * (2.0 / 3.0), (half, half), half * (1.0 / 3.0)
        inertia = {(0, 0): third, (0, 1): mixed, (1, 1): third}
        for key in self.masses:
            x, m = number(f"{key}.share"), number(f"{key}.mass")
            near = 1.0 - x
            inertia = {(0, 0): inertia[0, 0] + m * near * near, (0, 1): inertia[0, 1] + m * near * x, (1, 1): inertia[1, 1] + m * x * x}
            shares = shares[0] + m * near, shares[1] + m * x
        for rates in zip(equations.velocity(self.a), equations.velocity(self.b), strict=True):
            equations.add_inertia(inertia, rates)
        for end, share in zip((self.a, self.b), shares, strict=True):
            equations.force(end, *(share * weight for weight in equations.gravity))
            equations.potential(-(share * g.dot(zip(equations.gravity, equations.values(equations.place(end)), strict=True))))
        if self.modes:
            self._bend(equations)

    def _sine(self, equations, key, k):
        """Sine k at a place."""
        return equations.sincos(float(np.pi * k) * equations.number(self, f"{key}.share"))[0]

    def _part(self, equations, values):
        first = equations.first[f"{self.name}.amplitudes"]
        return values[first : first + self.modes]

    def _normal(self, equations):
        """Normal of the chord, by the length that it has where the row holds."""
        x, y = (d / equations.number(self, "length") for d in equations.values(equations.between(self.a, self.b)))
        return -y, x

    def _bend(self, equations):
        """Masses of the bending and what they share with the ends, (16) and (17) of the paper, its stiffness and damping, its weight."""
        g, number = equations.graph, lambda key: equations.number(self, key)
        amplitudes, rates = self._part(equations, equations.q), self._part(equations, equations.v)
        line, zero = number("line_mass") * number("length"), g.const(0.0)
        count, normal = self.modes, self._normal(equations)
        own = {(k, k): 0.5 * line for k in range(count)}
        ends = [[line * (1.0 / (np.pi * k)), line * ((-1.0) ** (k + 1) / (np.pi * k))] for k in range(1, count + 1)]
        for key in self.masses:
            x, m = number(f"{key}.share"), number(f"{key}.mass")
            sines = [self._sine(equations, key, k) for k in range(1, count + 1)]
            own |= {(i, j): own.get((i, j), zero) + m * sines[i] * sines[j] for i in range(count) for j in range(i, count)}
            ends = [[p + m * (1.0 - x) * s, r + m * x * s] for (p, r), s in zip(ends, sines, strict=True)]
        across = [g.dot(zip(normal, equations.velocity(end), strict=True)) for end in (self.a, self.b)]
        inertia = {(2 + i, 2 + j): x for (i, j), x in own.items()}
        equations.add_inertia(inertia, (zero, zero, *rates))
        inertia = {(e, 2 + k): pair[e] for k, pair in enumerate(ends) for e in range(2)}
        equations.add_inertia(inertia, (*across, *rates))
        for stiffness, a, rate in zip(self._stiffnesses(equations), amplitudes, rates, strict=True):
            lossy = number("damping") * stiffness * rate
            equations.force_on(a, -(stiffness * a) - lossy)
            equations.power("dissipated", lossy * rate)
        equations.potential(self._strain(equations))
        if self.bent_by_weight:
            moved = g.dot((p + r, a) for (p, r), a in zip(ends, amplitudes, strict=True))
            weight = -(moved * g.dot(zip(equations.gravity, normal, strict=True)))
            equations.force_on(weight, -1.0)
            equations.potential(weight)

    def _deflection(self, equations, key):
        """Node of the deflection at a place."""
        sines = (self._sine(equations, key, k) for k in range(1, self.modes + 1))
        return equations.graph.dot(zip(sines, self._part(equations, equations.q), strict=True))

    def _place(self, equations, key, axis):
        """Node of a component of a place."""
        x, (a, b) = equations.number(self, f"{key}.share"), (equations.values(equations.place(end))[axis] for end in (self.a, self.b))
        moved = self._normal(equations)[axis] * self._deflection(equations, key) if self.modes else 0.0
        return a + x * (b - a) + moved

    def _stiffnesses(self, equations):
        """Of each sine: EI (k pi/L)^4 L/2, N/m."""
        length = equations.number(self, "length")
        unit = 0.5 * (equations.number(self, "EI") / (length * length * length))
        return [float((np.pi * k) ** 4) * unit for k in range(1, self.modes + 1)]

    def _strain(self, equations):
        """Node of the energy of bending."""
        pairs = zip(self._stiffnesses(equations), self._part(equations, equations.q), strict=True)
        return 0.5 * equations.graph.dot((stiffness * a, a) for stiffness, a in pairs)

    def outputs(self, equations):
        """Force along it, amplitudes and their rates, strain energy; deflection and place of its masses and places."""
        found = super().outputs(equations)
        for k in range(self.modes):
            found[f"{self.name}.a{k + 1}"] = (lambda k=k: self._part(equations, equations.q)[k], "m")
            found[f"{self.name}.va{k + 1}"] = (lambda k=k: self._part(equations, equations.v)[k], "m/s")
        if self.modes:
            found[f"{self.name}.strain_energy"] = (lambda: self._strain(equations), "J")
        for key in self._on_it():
            if self.modes:
                found[f"{self.name}.{key}.deflection"] = (lambda key=key: self._deflection(equations, key), "m")
            for k, axis in enumerate("xy"):
                found[f"{self.name}.{key}.{axis}"] = (lambda key=key, k=k: self._place(equations, key, k), "m")
        return found
