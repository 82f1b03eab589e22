"""What the assembly changes of places and velocities that the user gave, in words."""

import numpy as np

from flexmbd.bodies.base import FIXED, LEFT_OUT
from flexmbd.errors import ModelError

TOLD = 1e-6  # relative change from which on it is said; of what is fixed, that it cannot stay
SHOWN = 4  # bodies named at most
UNITS = {"position": "m", "velocity": "m/s", "angle": "rad", "rotation": "rad", "rate": "rad/s", "angular_velocity": "rad/s"}
PLACES = ("position", "angle", "rotation")


class Changes:
    """Changes of a start.

    Parameters
    ----------
    start : Start
    found : pair of ndarray (n, count)
        Coordinates and velocities, assembled.
    size : ndarray (count,)
        Of the mechanism, m.

    Attributes
    ----------
    of : dict of (str, str) to ndarray (count,)
        By body and word that was given, how far it is changed; 0 where that may be rounding.
    """

    def __init__(self, start, found, size):
        self._start, self.of, self._values = start, {}, {}
        words = dict(start.in_words(*found))
        scales = {word: size if word == "position" else 1.0 for word in UNITS}
        for group in (("velocity",), ("rate", "angular_velocity")):
            sizes = [np.abs(x).max(axis=(0, 1)) for own in words.values() for word, pair in own.items() if word in group for x in pair]
            scales |= dict.fromkeys(group, np.max(sizes, axis=0) if sizes else 1.0)
        for name, own in words.items():
            for word, (before, after) in own.items():
                if start.levels[name, word] == LEFT_OUT:
                    continue
                far = _apart(word, before, after)
                self.of[name, word] = np.where(far > TOLD * scales[word], far, 0.0)
                self._values[name, word] = before[0, 0], after[0, 0]

    def said(self):
        """Sentences for a run's attributes, by their keys."""
        out = {}
        for key, places in (("start.moved", True), ("start.velocities", False)):
            found = {at: far for at, far in self.of.items() if (at[1] in PLACES) == places and far.any()}
            if not found:
                continue
            names = list(dict.fromkeys(name for name, _ in sorted(found, key=lambda at: -found[at].max())))
            parts = [f"{name}: {', '.join(self._part(at, far) for at, far in found.items() if at[0] == name)}" for name in names[:SHOWN]]
            more = f"; and {len(names) - SHOWN} other bodies" if len(names) > SHOWN else ""
            many, count = int(np.any(list(found.values()), axis=0).sum()), self._start.count
            runs = f" (in {many} of {count} runs; the largest changes)" if count > 1 else ""
            out[key] = f"constraints changed what was given: {'; '.join(parts)}{more}{runs}"
        return out

    def _part(self, at, far):
        """Words on a change, of the sample in which it is largest."""
        i, word = int(np.argmax(far)), at[1]
        if word != "rate":
            return f"{word} by {far[i]:.3g} {UNITS[word]}"
        before, after = self._values[at]
        return f"rate {before[i]:.6g} became {after[i]:.6g} rad/s"

    def refuse(self):
        """Raise `ModelError` for what is fixed and cannot stay."""
        for told in filter(None, self.contradictions()):
            raise ModelError(told)

    def contradictions(self):
        """By sample a sentence on what is fixed and cannot stay, else ""."""
        told = [""] * self._start.count
        for (name, word), far in self.of.items():
            for i in np.flatnonzero(far) if self._start.levels[name, word] == FIXED else ():
                what = f"{word} is fixed, but the constraints change it by {far[i]:.3g} {UNITS[word]}"
                told[i] = told[i] or f"body '{name}': {what}; leave it out of `fixed`, or give values that satisfy them"
        return told


def _apart(word, before, after):
    """How far two values of a word lie apart, (count,): the largest of its vectors."""
    if word == "angle":
        return np.abs((after - before + np.pi) % (2.0 * np.pi) - np.pi)[0, 0]
    apart = np.linalg.norm(after - before, axis=1)
    if word != "rotation":
        return apart.max(axis=0)
    return 2.0 * np.arcsin(np.minimum(np.sqrt((apart**2).sum(axis=0) / 8.0), 1.0))  # the axes' chords by the angle between the frames
