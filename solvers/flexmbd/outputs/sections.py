"""Poincaré sections: which points of a motion are wanted, and what a run found."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.parameters import spread
from flexmbd.stepping.names import BOTH, DOWN, IMPACT, REGULAR, UP
from flexmbd.suggest import unknown

USUAL = 1000  # points that there is room for where passages or impacts are waited for
DIRECTIONS = {"up": UP, "down": DOWN, "both": BOTH}
ONE = 'give one of every = (a time in s), crossing = "an output", impact = "a contact"'


@dataclass(frozen=True, eq=False)
class PoincareSection:
    """Points of a motion: at equal times, where an output passes a level, or at the impacts of a contact.

    Points lie within the steps, which know nothing of sections: the motion is the same with and without them. What is there is read as
    histories are; where an output passes its level is found on that reading, to 1e-13 of what the output changes by in a step, so that
    points are as right as the motion. An output that jumps over its level passes it there, with the values behind the jump; one that
    begins on it does not. Two passages within half a step of each other are seen as none: where an output only just touches its level.

    Parameters
    ----------
    of : str or sequence of str
        Outputs whose values are taken; none where times are enough.
    every : float or ndarray (n,), optional
        Time between points in s: a stroboscopic section, the first point at `after`.
    crossing : str, optional
        Output that passes `level`.
    level : float or ndarray (n,)
        In the unit of that output.
    direction : str
        ``"up"``, ``"down"`` or ``"both"``: which passages count.
    impact : str, optional
        Contact whose impacts count. Of one with a law these are the onsets of contact, where the penetration passes zero; of bodies that
        cannot be penetrated the values behind each impact, and those before it in `SectionPoints.before`.
    after : float or ndarray (n,)
        Time in s from which on points count: what comes before has not settled.
    most : int, optional
        Points that there is room for; the first ones are kept, and `SectionPoints.count` says how many there were. Left out as many as
        there are where they come at equal times, else 1000.

    Raises
    ------
    ModelError
        If it is not said how points come, or a number or word is wrong.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> block = s.point_mass("block", mass=1.0, position=(1.0, 0.0))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), block.centre, 4.0, length=0.0))
    >>> turn = fm.PoincareSection(["block.x"], crossing="block.vx", level=0.0, direction="down")
    >>> found = fm.run(s, end=10.0, outputs=[], sections={"turn": turn}).sections["turn"]
    >>> found.count, (found.time / 3.141592653589793).round(6).tolist(), found["block.x"].round(6).tolist()  # period: pi
    (3, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    """

    WAYS: ClassVar[tuple] = ("every", "crossing", "impact")

    of: object
    every: object = None
    crossing: str | None = None
    level: object = 0.0
    direction: str = "both"
    impact: str | None = None
    after: object = 0.0
    most: int | None = None

    def __post_init__(self):
        of = (self.of,) if isinstance(self.of, str) else tuple(self.of)
        object.__setattr__(self, "of", of)
        if not all(isinstance(name, str) for name in of) or len({*of}) < len(of):
            raise ModelError(f"section: of is {list(of)!r}", remedy="name outputs, each once")
        if odd := next((name for name in of if ":" in name), None):
            raise ModelError(f"section: of has '{odd}', which is no value at a time", remedy=f"write '{odd.partition(':')[0]}'")
        given, told = [key for key in self.WAYS if getattr(self, key) is not None], self._told
        if len(given) != 1:
            raise ModelError(f"{told}: {' and '.join(given) + ' are' if given else 'nothing is'} given", remedy=ONE)
        if given != ["crossing"] and (self.direction != "both" or np.any(np.asarray(self.level) != 0.0)):
            raise ModelError(f"{told}: level and direction are of a crossing, and {given[0]} is given", remedy=ONE)
        if self.direction not in DIRECTIONS:
            raise ModelError(f"{told}: direction is {self.direction!r}", remedy="it must be 'up', 'down' or 'both'")
        for key in ("level", "after", *given[:1]):
            if key in ("level", "after", "every"):
                number = check_number(told, key, getattr(self, key), positive=key == "every")
                object.__setattr__(self, key, number)
        if np.any(np.asarray(self.after) < 0.0):
            raise ModelError(f"{told}: after is {np.min(self.after):g} s; it must not be negative")
        whole = isinstance(self.most, (int, np.integer)) and not isinstance(self.most, bool)
        if self.most is not None and not (whole and self.most > 0):
            raise ModelError(f"{told}: most is {self.most!r}; it must be a whole number from 1")

    @property
    def _told(self):
        """What sentences call it."""
        return f"section of '{self.of[0]}'" if self.of else "section"

    @property
    def structure(self):
        """What the compiled model depends on: numbers may be others."""
        return self.of, self.every is None, self.crossing, self.direction, self.impact

    def signal(self, catalogue):
        """Kind of points (`flexmbd.stepping.sections`), and the signal that makes them or None.

        Raises
        ------
        ModelError
            If an output or a contact is not known, or has several places.
        """
        if self.every is not None:
            return REGULAR, None
        if self.crossing is not None:
            if self.crossing not in catalogue:
                raise unknown("output", self.crossing, catalogue)
            return DIRECTIONS[self.direction], self.crossing
        impacts, depth = f"{self.impact}.impacts", f"{self.impact}.penetration"
        if impacts in catalogue and f"{self.impact}.impulse" in catalogue:
            return IMPACT, impacts
        if depth in catalogue:
            return UP, depth
        places = [name.removesuffix(".penetration") for name in catalogue if name.endswith(".penetration")]
        own = [name for name in places if name.startswith(f"{self.impact}.")]
        if own:
            told = f"section: contact '{self.impact}' has several places"
            raise ModelError(told, element=self.impact, remedy=f"name one of them: {', '.join(own[:4])}")
        raise unknown("contact", self.impact, places + [name.removesuffix(".impacts") for name in catalogue if name.endswith(".impacts")])

    def room(self, spans):
        """Points that there is room for, in motions (n,) of so many s."""
        if self.most is not None or self.every is None:
            return self.most or USUAL
        count = np.floor((spans - self.after) / self.every * (1.0 + 1e-12)) + 1.0
        return int(max(np.max(count, initial=0.0), 0.0))

    def numbers(self, count):
        """`after`, `every` and `level` of each sample, (count, 3)."""
        given = [0.0 if value is None else value for value in (self.after, self.every, self.level)]
        for key, value in zip(("after", "every", "level"), given, strict=True):
            if np.ndim(value) and len(value) != count:
                raise ModelError(f"{self._told}: {key} has {len(value)} values for {count} samples")
        return spread(given, count).reshape(3, count).T


@dataclass(frozen=True, eq=False)
class SectionPoints:
    """Points that runs have on a section; of one run without the axis n. ``points["block.x"]`` is ``points.values["block.x"]``.

    Attributes
    ----------
    time : ndarray (n, points)
        In s; as many as the run that has most, NaN behind the last of each.
    values : dict name -> ndarray (n, points)
        Of outputs; at impacts of bodies that cannot be penetrated those behind them.
    before : dict name -> ndarray (n, points)
        The same before these impacts; of other sections empty.
    count : ndarray (n,) of int
        How many points there were, also those that there was no room for. 0: the section was never met.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def stone(height):
    ...     s = fm.System(gravity=(0.0, -10.0))
    ...     s.point_mass("stone", mass=1.0, position=(0.0, height))
    ...     return s
    >>> lands = fm.PoincareSection("stone.vy", crossing="stone.y")
    >>> found = fm.run(stone, {"height": [5.0, 500.0]}, end=2.0, outputs=[], sections={"lands": lands}).sections["lands"]
    >>> found.count.tolist(), found.time.round(9).tolist()
    ([1, 0], [[1.0], [nan]])
    """

    time: np.ndarray
    values: dict[str, np.ndarray]
    count: np.ndarray
    before: dict[str, np.ndarray] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def of_sample(self, i):
        """Of one run of a batch, as many as it has."""
        there = slice(min(int(self.count[i]), self.time.shape[1]))
        values, before = ({name: x[i, there] for name, x in table.items()} for table in (self.values, self.before))
        return SectionPoints(self.time[i, there], values, int(self.count[i]), before)


__all__ = ["PoincareSection", "SectionPoints"]
