"""Inputs that count or choose: samples are numbers, and a model gets whole numbers as int, and the chosen values themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from itertools import product
from math import prod
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import Outcomes, concatenate, picked

Values = Mapping[str, Sequence[Any]]  # by input: the values by their places, or a range of whole numbers, whose places are they themselves
MOST = 64  # combinations that are looked at before the runs


def choosing(function: Callable[..., Any], values: Values, *, arrays: bool) -> Callable[..., Any]:
    """A function of numbers from one of values; itself where there are none.

    Parameters
    ----------
    arrays : bool
        It takes arrays over the runs, of values then. Another one is given a single value for an array whose numbers are all the same, as
        a mechanism is built of, and ValueError is raised where they are not.
    """
    if not values:
        return function

    def of_numbers(*more: Any, **inputs: Any) -> Any:
        return function(*more, **{name: value_of(values[name], x, arrays) if name in values else x for name, x in inputs.items()})

    return update_wrapper(of_numbers, function)


def value_of(values: Sequence[Any], number: Any, arrays: bool) -> Any:
    """What a model gets for a number, or for an array of them."""
    if np.ndim(number):
        places = np.rint(np.asarray(number, float)).astype(int)
        if arrays:
            if isinstance(values, range):
                return places
            return np.array(values, None if len({type(one) for one in values}) == 1 else object)[places]
        if (places != places.flat[0]).any():
            raise ValueError("the runs have different values of an input that counts or chooses")
        number = places.flat[0]
    place = round(float(number))
    return place if isinstance(values, range) else values[place]


def alike(samples: Mapping[str, np.ndarray], values: Values) -> list[np.ndarray]:
    """Rows of the runs that have equal values of all inputs that count or choose, in the order in which they first occur."""
    named = [np.asarray(samples[name], float) for name in values if name in samples]
    if not named:
        return [np.arange(len(next(iter(samples.values()), ())))]
    _, first, which = np.unique(np.column_stack(named), axis=0, return_index=True, return_inverse=True)
    return [np.flatnonzero(which.reshape(-1) == k) for k in np.argsort(first)]


def apart(
    samples: Mapping[str, np.ndarray], values: Values, part: Callable[[dict[str, np.ndarray], np.ndarray], Outcomes]
) -> Outcomes | None:
    """Outcomes of runs, those with equal values by one call of `part`, which is given them and their rows; None where all are equal."""
    groups = alike(samples, values)
    if len(groups) == 1:
        return None
    done = [part(of_rows(samples, rows), rows) for rows in groups]
    return picked(concatenate(done), np.argsort(np.concatenate(groups)).tolist())


def of_rows(samples: Mapping[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Some of the runs."""
    return {name: np.asarray(x)[rows] for name, x in samples.items()}


def combined(samples: Mapping[str, np.ndarray], values: Values) -> list[dict[str, np.ndarray]]:
    """The samples with each combination of values in turn, that of the first of them first; of very many only those that there are."""
    names = [name for name in values if name in samples]
    first = tuple(round(float(samples[name][0])) for name in names)
    if prod(len(values[name]) for name in names) > MOST:
        return [of_rows(samples, rows) for rows in alike(samples, values)]
    places = [values[name] if isinstance(values[name], range) else range(len(values[name])) for name in names]
    n = len(next(iter(samples.values())))
    every = dict.fromkeys([first, *product(*places)])
    return [{**samples, **{name: np.full(n, float(place)) for name, place in zip(names, one)}} for one in every]


def in_words(samples: Mapping[str, np.ndarray], values: Values) -> str:
    """The values of the first sample: ``law = hertz``."""
    return ", ".join(f"{name} = {value_of(of, samples[name][0], False)}" for name, of in values.items() if name in samples)


def saying(error: StudyError, samples: Mapping[str, np.ndarray], values: Values) -> StudyError:
    """An error of the mechanism with some values, which says with which."""
    return StudyError(f"with {in_words(samples, values)}: {error.message}", key=error.key, value=error.value, remedy=error.remedy)
