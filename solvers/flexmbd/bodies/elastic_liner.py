"""Elastic liner of a bearing as a body of its own: amplitudes of shapes of its surface, with constant matrices."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Body
from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.parameters import Matrix


@dataclass(frozen=True, eq=False)
class ElasticLiner(Body):
    """Liner whose surface yields by ``sum a_i phi_i`` in axes fixed to the bearing: ``M a'' + D a' + K a = Q`` with the film's Q.

    Made by `System.bush`, for `ClearanceRevolute`. The shapes turn with the bearing's body; against it they move, and their inertia by
    its motion is left out (the liner's mass is a part of that body's).

    Parameters
    ----------
    name : str
    modes : LinerModes
        Shapes `values(theta, z)`, with `harmonic`, `sine`, `shape` (M,), `stiffness` (M, M) in N/m and `mass` (M, M) in kg.
    stiffness : float or ndarray
        Factor on the stiffness.
    damping : float or ndarray, or (M, M) ndarray
        By stiffness in s (Kelvin-Voigt), or a matrix in N s/m.
    """

    name: str
    modes: object
    stiffness: object = 1.0
    damping: object = 0.0
    points: dict = field(default_factory=dict)

    dimension = 2
    vectors = False

    def __post_init__(self):
        owner, count = f"bush '{self.name}'", len(np.atleast_1d(self.modes.harmonic))
        object.__setattr__(self, "stiffness", check_number(owner, "stiffness", self.stiffness, positive=True))
        given = np.ndim(self.damping) == 2
        check_range(owner, "damping", self.damping, **({} if given else {"at_least": 0.0}))
        matrices = {"stiffness": self.modes.stiffness, "mass": self.modes.mass} | ({"damping": self.damping} if given else {})
        for key, matrix in matrices.items():
            matrix = np.asarray(matrix, float)
            least = np.linalg.eigvalsh(matrix)[0] if matrix.shape == (count, count) and np.all(np.isfinite(matrix)) else np.nan
            asymmetry = np.abs(matrix - matrix.T).max() if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] else np.nan
            bound = 0.0 if key == "mass" else -1e-12 * np.abs(matrix).max()
            if not (least > bound or (key == "damping" and least >= bound)) or not asymmetry <= 1e-9 * np.abs(matrix).max():
                raise ModelError(
                    f"{owner}: the {key} matrix of {count} shapes has shape {matrix.shape} and least eigenvalue {least:.4g}",
                    element=self.name,
                    remedy="it must be square, symmetric and positive" + (": give the liner its density" if key == "mass" else ""),
                )
        halves = {key: 0.5 * np.asarray(matrix, float) for key, matrix in matrices.items()}
        object.__setattr__(self, "matrices", {key: Matrix(half + half.T) for key, half in halves.items()})
        object.__setattr__(self, "entries", {key: _entries(matrix.values) for key, matrix in self.matrices.items()})

    @property
    def measures(self):
        """All are lengths."""
        return ("length",) * len(self.modes.harmonic)

    @property
    def labels(self):
        """Names of the amplitudes: ``c2`` and ``s2`` for cos and sin of twice the angle, ``c2_1`` with the second shape across."""
        parts = zip(self.modes.harmonic, self.modes.sine, self.modes.shape, strict=True)
        return [f"{'s' if sine else 'c'}{k}" + (f"_{shape}" if shape else "") for k, sine, shape in parts]

    def topology_key(self):
        """Names of the amplitudes, and where the matrices have entries."""
        return ("bush", *self.labels, *((key, tuple(entries)) for key, entries in self.entries.items()))

    def parameters(self):
        """Entries of the matrices, and the factors."""
        factors = {"factor": self.stiffness} if "damping" in self.entries else {"factor": self.stiffness, "time": self.damping}
        return self.matrices | factors

    def initial(self):
        """Undeformed and at rest."""
        return (0.0,) * self.coordinates, (0.0,) * self.coordinates

    def mass_matrix(self, equations):
        """That of the shapes."""
        table = equations.number(self, "mass")
        return {(i, j): equations.graph.entry(table, i, j) for i, j in self.entries["mass"] if i <= j}

    def apply(self, equations):
        """Elastic and damping forces, and their energies."""
        q, v, first = self.part(equations, equations.q), self.part(equations, equations.v), equations.first[self.name]

        def product(key, vector):
            return equations.graph.product(equations.number(self, key), vector, self.entries[key])

        factor = equations.number(self, "factor")
        elastic = [factor * f for f in product("stiffness", q)]
        if "damping" in self.entries:
            lossy = product("damping", v)
        else:
            time = equations.number(self, "time")
            lossy = [time * factor * f for f in product("stiffness", v)]
        for i, (f, d) in enumerate(zip(elastic, lossy, strict=True)):
            equations.generalized[first + i] = equations.generalized[first + i] - f - d
        equations.potential(0.5 * equations.graph.dot(zip(elastic, q, strict=True)))
        equations.power("dissipated", equations.graph.dot(zip(lossy, v, strict=True)))

    def outputs(self, equations):
        """Amplitudes and their rates."""
        out = {}
        for prefix, key, unit in (("", "q", "m"), ("v", "v", "m/s")):
            for k, label in enumerate(self.labels):
                out[f"{self.name}.{prefix}{label}"] = (lambda key=key, k=k: self.part(equations, getattr(equations, key))[k], unit)
        return out


def _entries(matrix):
    """Places that are not zero but for round-off, row by row."""
    return [(int(i), int(j)) for i, j in np.argwhere(np.abs(matrix) > 1e-14 * np.abs(np.diag(matrix)).max())]
