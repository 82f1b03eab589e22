"""Where bodies start, by the names of outputs: places, angles and their rates that replace what a model gives."""

import numpy as np

from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rigid import RigidBody
from flexmbd.bodies.said import keep_said
from flexmbd.bodies.spatial import SpatialBody
from flexmbd.errors import check_number
from flexmbd.space import AXES
from flexmbd.suggest import unknown

BEGIN = (RigidBody, SpatialBody, PointMass)


class Begun:
    """What starts somewhere: the part of `System` that says where."""

    def start_at(self, values, *, fixed=True):
        """Let coordinates start where they are not by the model: those of rigid bodies and point masses, by the names of outputs.

        The others stay. So the starts of a mechanism are inputs of a study, as those of basins of attraction, and one description
        serves for all.

        Parameters
        ----------
        values : mapping name -> float or ndarray (n,)
            Of ``"mass.x"``, ``"mass.y"``, in space ``"mass.z"``, of the centre of mass in m; ``"mass.vx"`` and so on in m/s; in the
            plane ``"rod.angle"`` in rad, ``"rod.rate"`` in rad/s.
        fixed : bool
            Whether they must stay where constraints ask for changes: a run in which they cannot fails. Otherwise they yield.

        Raises
        ------
        ModelError
            If no coordinate is called so, or a number is not finite.

        Examples
        --------
        >>> import numpy as np, flexmbd as fm
        >>> def oscillator(place, speed):
        ...     s = fm.System()
        ...     mass = s.body("mass", mass=1.0, inertia=1.0)
        ...     s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
        ...     s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=1.0, damping=0.0, length=5.0))
        ...     s.start_at({"mass.x": place, "mass.vx": speed})
        ...     return s
        >>> starts = {"place": np.array([0.1, 0.2]), "speed": np.array([0.0, 0.3])}
        >>> fm.run(oscillator, starts, end=1.0, points=2, outputs=["mass.x"]).outputs["mass.x"][:, 0].tolist()
        [0.1, 0.2]
        """
        bodies = {body.name: body for body in self.bodies if isinstance(body, BEGIN)}
        parts = {}
        for name, value in values.items():
            owner, _, key = name.rpartition(".")
            if owner not in bodies or key not in words_of(bodies[owner]):
                known = [f"{body.name}.{word}" for body in bodies.values() for word in words_of(body)]
                raise unknown("start", name, known)
            parts.setdefault(owner, {})[key] = check_number("start", name, value)
        for owner, own in parts.items():
            begin(bodies[owner], own, fixed)


def words_of(body):
    """By the end of an output's name the word of the body's start, and which of its components."""
    axes = AXES[: body.dimension]
    found = {axis: ("position", k) for k, axis in enumerate(axes)} | {f"v{axis}": ("velocity", k) for k, axis in enumerate(axes)}
    return found | ({"angle": ("angle", None), "rate": ("rate", None)} if isinstance(body, RigidBody) else {})


def begin(body, own, fixed):
    """Replace parts of a body's start; places and velocities are those of the centre of mass, and a body keeps those of its frame."""
    words, named = words_of(body), {key: words_of(body)[key][0] for key in own}
    for key in own.keys() & {"angle", "rate"}:
        object.__setattr__(body, key, own[key])
    for word, centre in zip(("position", "velocity"), body.initial(), strict=True):
        before = getattr(body, word)
        replaced = {words[key][1]: value for key, value in own.items() if named[key] == word}
        away = [x - y for x, y in zip(centre, before, strict=False)]  # of the centre of mass from the frame's origin
        object.__setattr__(body, word, tuple(np.subtract(replaced[k], away[k]) if k in replaced else x for k, x in enumerate(before)))
    given = None if body.given is None else tuple(dict.fromkeys((*body.given, *named.values())))
    keep_said(body, given, tuple(dict.fromkeys((*body.fixed, *named.values()))) if fixed else body.fixed)
