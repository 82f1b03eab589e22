"""All uncertain inputs of a study together: what they are by themselves, and what binds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.base import Input
from uqmbd.inputs.choice import Choice
from uqmbd.inputs.copula import LEAST, Dependence
from uqmbd.inputs.fixed import Fixed
from uqmbd.inputs.integers import Integers
from uqmbd.inputs.joint import Joint, expanded
from uqmbd.inputs.sets import ConvexSet


class Space(Mapping[str, Input]):
    """Inputs by name, frozen; a plain dict of inputs is a space in which nothing is bound.

    Parameters
    ----------
    inputs : dict of str to Input
    dependence : Dependence or dict, optional
        Between random inputs.
    sets : dict of str to ConvexSet or dict, optional
        Over interval inputs. A set that states its own range (from data or a covariance) brings its inputs with it.

    Attributes
    ----------
    dependence : Dependence or None
        What was given, and the Gaussian copulas of joint distributions; `given` is the former alone.
    sets : dict of str to ConvexSet
    joints : dict of str to Joint
        Inputs that came by one distribution of several, by their names, ``"a, b"``.
    """

    def __init__(
        self,
        inputs: Mapping[str, Input],
        dependence: Dependence | Mapping[str, Any] | None = None,
        sets: Mapping[str, ConvexSet | Mapping[str, Any]] | None = None,
    ) -> None:
        self._inputs, self.joints = expanded(inputs)
        self.sets = {name: read_set(name, item) for name, item in (sets or {}).items()}
        self._brought = {name for joint in self.joints.values() for name in joint.names}
        for name, item in self.sets.items():
            self._take(name, item)
        self.given = read_dependence(dependence)
        pairs = [pair for joint in self.joints.values() for pair in joint.pairs]
        own = [] if self.given is None else self.given.rank_correlation
        self.dependence = read_dependence({"rank_correlation": [*own, *pairs]}) if pairs else self.given
        if self.dependence is not None:
            self.dependence.check(self._inputs)
            for name in {**self.sampled, **self.joint}:
                if name in self.dependence.names:
                    raise StudyError(
                        f"the input '{name}' has no rank correlation: it is made of several variables, or bound by a joint distribution",
                        key="dependence.rank_correlation",
                        remedy=f"take '{name}' out of [dependence], or make its parts inputs of their own",
                    )

    @classmethod
    def of(cls, inputs: Mapping[str, Input]) -> Space:
        """`inputs` as a space; itself when it is one."""
        return inputs if isinstance(inputs, cls) else cls(inputs)

    def __getitem__(self, name: str) -> Input:
        return self._inputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._inputs)

    def __len__(self) -> int:
        return len(self._inputs)

    def __repr__(self) -> str:
        return f"Space({self._inputs!r}, dependence={self.dependence!r}, sets={self.sets!r})"

    @property
    def written(self) -> dict[str, Input]:
        """The inputs as they were given: not those that a set brought, and those that came together as one."""
        alone = {name: item for name, item in self._inputs.items() if name not in self._brought}
        return alone | {key: joint.item for key, joint in self.joints.items()}

    @property
    def free(self) -> list[str]:
        """Inputs in no set."""
        bound = {name for item in self.sets.values() for name in item.inputs}
        return [name for name in self._inputs if name not in bound]

    @property
    def fixed(self) -> dict[str, Fixed]:
        """Inputs that are held at one number."""
        return {name: item for name, item in self._inputs.items() if isinstance(item, Fixed)}

    @property
    def values_of_places(self) -> dict[str, Sequence[Any]]:
        """Inputs that choose with their values, which samples have the places of; and those that count, with the range of their numbers."""
        chosen: dict[str, Sequence[Any]] = {name: item.values for name, item in self._inputs.items() if isinstance(item, Choice)}
        counted = {name: item.range for name, item in self._inputs.items() if isinstance(item, Integers)}
        return chosen | counted

    @property
    def sampled(self) -> dict[str, str]:
        """Inputs that have no quantiles of their own, so that they can only be sampled; and why."""
        made = "it is made of several variables, which have no quantile together"
        bound = {name: joint for joint in self.joints.values() if joint.is_bound for name in joint.names}
        rows = {name: "it is drawn by the rows of a table, together with others" for name, joint in bound.items() if joint.kind == "rows"}
        reasons = {name: made for name, joint in bound.items() if not joint.is_smooth} | rows
        alone = {name: item for name, item in self._inputs.items() if name not in bound and item.kind == "random"}
        return reasons | {name: made for name, item in alone.items() if not getattr(item, "has_quantiles", True)}

    @property
    def joint(self) -> dict[str, str]:
        """Inputs that are bound by more than rank correlations, as smooth functions of independent ones in their order; and by what."""
        bound = [joint for joint in self.joints.values() if joint.is_bound and joint.is_smooth]
        return {name: f"the {joint.kind} of {', '.join(joint.names)} binds it" for joint in bound for name in joint.names}

    @property
    def uncertain(self) -> Self:
        """The space without the inputs that are held fixed, which is what methods see; itself when there are none."""
        fixed = self.fixed
        return self._of({name: item for name, item in self._inputs.items() if name not in fixed}) if fixed else self

    def changed(self, items: Mapping[str, Input]) -> Self:
        """The space with other inputs in place of some, in SI as it is; what binds inputs stays."""
        return self._of({name: items.get(name, item) for name, item in self._inputs.items()})

    def _of(self, inputs: Mapping[str, Input]) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._inputs = dict(inputs)
        return other

    def to_si(self) -> Self:
        """The same space in SI units."""
        return self._converted(lambda item: item.to_si())

    def as_before(self) -> Self:
        """The space in SI units as earlier versions made it, see `Input.as_before`."""
        return self._converted(lambda item: item.as_before())

    def _converted(self, converted: Callable[[Any], Any]) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.sets = {name: converted(item) for name, item in self.sets.items()}
        other._inputs = {name: converted(item) for name, item in self._inputs.items()}
        for item in other.sets.values():
            other._inputs |= item.intervals() or {}
        return other

    def samples(self, u: np.ndarray) -> dict[str, np.ndarray]:
        """Samples ``{input: (n,)}`` at the independent points `u` (n, d) of the unit cube, which dependence bends."""
        if self.dependence is not None:
            u = self.dependence.apply(u, list(self._inputs))
        bound = self._bound()
        for joint, at in bound:
            u = joint.points(u, at)
        # a distribution may have no value at 0 and 1
        inside = np.clip(u, LEAST, 1 - LEAST)
        known = {name: values for joint, at in bound for name, values in joint.samples(u, at, self._inputs).items()}
        return self._together(known, lambda item, columns: item.ppf(columns(inside if item.kind == "random" else u)))

    def from_normal(self, z: np.ndarray) -> dict[str, np.ndarray]:
        """Samples ``{input: (n,)}`` at the points `z` (n, d) of independent standard normal variables, with all digits in both tails."""
        if self.dependence is not None:
            z = self.dependence.bend(z, list(self._inputs))
        known: dict[str, np.ndarray] = {}
        if bound := self._bound():
            from scipy.special import ndtr, ndtri

            u = ndtr(z)
            for joint, at in bound:
                z = np.array(z, float)
                z[:, at] = ndtri(joint.points(u, at)[:, at])
                known |= joint.samples(u, at, self._inputs)
        return self._together(known, lambda item, columns: item.from_normal(columns(z)))

    def _bound(self) -> list[tuple[Joint, list[int]]]:
        """Joint distributions that are more than a Gaussian copula, and the columns of their inputs."""
        names = list(self._inputs)
        return [(joint, [names.index(name) for name in joint.names]) for joint in self.joints.values() if joint.is_bound]

    def _together(
        self, known: Mapping[str, np.ndarray], values: Callable[[Input, Callable[[np.ndarray], np.ndarray]], np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Values by input, but for those that are `known`. Of inputs that are alike they are found in one call: what scipy's distributions
        take is mostly per call."""
        samples, groups = dict(known), {}
        for i, (name, item) in enumerate(self._inputs.items()):
            if name in known:
                continue
            alike = item.alike
            groups.setdefault(i if alike is None else (type(item), alike), []).append((i, name))
        for group in groups.values():
            places, names = zip(*group)
            if len(group) == 1:
                samples[names[0]] = values(self._inputs[names[0]], lambda points, at=places[0]: points[:, at])
                continue
            rows = values(self._inputs[names[0]], lambda points, places=places: np.ascontiguousarray(points[:, places].T))
            samples.update(zip(names, rows, strict=True))
        return {name: samples[name] for name in self._inputs}

    def remarks(self) -> list[str]:
        """What a reader of a result has to know of the inputs, a sentence each."""
        return [text for name, item in self.items() if (text := item.remark(name))]

    def rough_tails(self) -> list[str]:
        """What is lost of upper tails, a sentence each; empty where quantiles have all their digits."""
        rough = [name for name, item in self.items() if item.kind == "random" and getattr(item, "has_few_digits", False)]
        bound = [joint for joint in self.joints.values() if joint.is_bound and joint.kind != "rows"]
        sentences = [f"{name} has the quantiles of chaospy, which knows no survival quantile" for name in rough]
        sentences += [f"{', '.join(joint.names)} are drawn by chaospy's {joint.kind}, in u" for joint in bound]
        return [f"{text}: of a tail above the probability 1 - 1e-12 few digits are left, and nothing is beyond 1e-16" for text in sentences]

    def described(self) -> dict[str, dict[str, Any]]:
        """Inputs, and what binds them, as the user wrote it: ``{name: {"kind": ..., "text": ...}}``, for reports.

        Inputs also have the ``unit`` as written, and its ``factor`` and ``offset`` to SI.
        """
        words: dict[str, dict[str, Any]] = {
            name: {"kind": item.kind, "text": item.describe(), **item.written_unit()} for name, item in self._inputs.items()
        }
        for name, item in self._inputs.items():
            if isinstance(item, Choice):
                words[name]["labels"] = item.labels
        for a, b, rho in self.dependence.rank_correlation if self.dependence is not None else ():
            words[f"{a}, {b}"] = {"kind": "rank correlation", "text": f"{rho:g}"}
        for key, joint in self.joints.items():
            rho = "".join(f", rank correlation of {a} and {b} {number:.4g}" for a, b, number in joint.pairs)
            words[key] = {"kind": f"joint ({joint.kind})", "text": joint.item.notation() + rho}
        for name, item in self.sets.items():
            bound = "" if item.correlation is None else "".join(f", {a} with {b} {r:g}" for a, b, r in item.correlation)
            words[name] = {"kind": f"set ({item.shape})", "text": f"{', '.join(item.inputs)}; from {item.source}{bound}"}
        return words

    def bindings(self, *, before: bool = False) -> dict[str, Any]:
        """Dependence and sets as plain values for fingerprints, of now or of `before`; empty when nothing is bound."""
        bindings: dict[str, Any] = {}
        if self.dependence is not None:
            bindings["dependence"] = self.dependence.model_dump()
        if joints := [joint for joint in self.joints.values() if joint.is_bound]:
            bindings["joint"] = {", ".join(joint.names): joint.item.digest if before else joint.content for joint in joints}
        if self.sets:
            bindings["sets"] = {name: item.model_dump(exclude_none=True) if before else item.content() for name, item in self.sets.items()}
        return bindings

    def _take(self, name: str, item: ConvexSet) -> None:
        """Check a set against the inputs, and add those that it brings."""
        key, own = f"sets.{name}", item.intervals()
        for other, second in self.sets.items():
            shared = [entry for entry in item.inputs if other != name and entry in second.inputs]
            if shared:
                raise StudyError(f"the input '{shared[0]}' is in the set '{other}' too", key=f"{key}.inputs", remedy="take it out of one")
        for entry in item.inputs:
            if own is not None:
                if entry in self._inputs:
                    raise StudyError(
                        f"the set says where '{entry}' lies, and so does its own entry",
                        key=f"inputs.{entry}",
                        remedy=f"remove [inputs.{entry}], or give the set a correlation instead of {item.source}",
                    )
                continue
            if entry not in self._inputs:
                remedy = did_you_mean(entry, self._inputs, noun="input")
                raise StudyError(f"there is no input '{entry}' to be in a set", key=f"{key}.inputs", remedy=remedy)
            if self._inputs[entry].kind != "interval":
                raise StudyError(
                    f"the input '{entry}' is of kind {self._inputs[entry].kind}; sets are over intervals",
                    key=f"{key}.inputs",
                    remedy=f"give '{entry}' as interval = [lower, upper], or correlate random inputs in [dependence]",
                )
        if own is not None:
            self._inputs |= own
            self._brought |= set(own)


def read_set(name: str, value: Any) -> ConvexSet:
    """One table ``[sets.NAME]``."""
    try:
        if isinstance(value, ConvexSet):
            return value
        if not isinstance(value, Mapping):
            raise StudyError("a set is a table", value=value, remedy='write inputs = ["a", "b"] and correlation = [["a", "b", 0.5]]')
        return ConvexSet(**value)
    except StudyError as error:
        raise error.under(f"sets.{name}") from None


def read_dependence(value: Any) -> Dependence | None:
    """The table ``[dependence]``; none when it binds nothing."""
    if value is None:
        return None
    try:
        dependence = value if isinstance(value, Dependence) else Dependence(**value)
    except StudyError as error:
        raise error.under("dependence") from None
    except TypeError:
        raise StudyError("dependence is a table", key="dependence", remedy='write rank_correlation = [["a", "b", 0.6]]') from None
    return dependence if dependence.rank_correlation else None
