"""Labels of the methods of a study, which name the folders of their results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from uqmbd.errors import StudyError
from uqmbd.methods import Method
from uqmbd.runs.listing import LISTING
from uqmbd.runs.where import MANIFEST, MODEL, MOTION, RUNS

OF_ONE = (
    "result.zarr",
    "tables",
    "figures",
    "report.html",
    "rows.npy",
    "done.json",
    MANIFEST,
    MODEL,
    MOTION,
    LISTING,
)  # what a method leaves in its folder
TAKEN = {RUNS, *OF_ONE, "study.toml", "lock"}  # names in a folder of results


def labelled(method: Method | Sequence[Method | tuple[str, Method]] | Mapping[str, Method]) -> dict[str, Method]:
    """Methods by their labels, which name their folders: the type of a method unless said; or pairs of both.

    Raises
    ------
    StudyError
        When there is none, one is no method, or two have the same label.
    """
    if isinstance(method, Mapping):
        pairs = list(method.items())
    else:
        many = method if isinstance(method, Sequence) and not isinstance(method, str) else [method]
        pairs = [one if isinstance(one, tuple) else (getattr(one, "name", "method"), one) for one in many]
    by_label: dict[str, Method] = {}
    for label, one in pairs:
        if not isinstance(one, Method):
            raise StudyError("expected a method such as uqmbd.Chebyshev(degree=8)", key="method", value=one)
        if not isinstance(label, str):
            raise StudyError("a method's label is also a folder", key="method.label", value=label, remedy="give it a word")
        if label in by_label:
            remedy = f'give one of them another: label = "{label}_2"; in Python {{"{label}": ..., "{label}_2": ...}}'
            raise StudyError(f"two methods have the label '{label}', which names the folder of their results", key="method", remedy=remedy)
        if len(pairs) > 1 and (not re.fullmatch(r"\w[\w.\-]*", label) or label in TAKEN):
            remedy = f"use letters, digits, dots, dashes and underscores, and none of: {', '.join(sorted(TAKEN))}"
            raise StudyError("a method's label is also a folder", key="method.label", value=label, remedy=remedy)
        by_label[label] = one
    if not by_label:
        raise StudyError("a study needs a method", key="method", remedy="name one")
    return by_label
