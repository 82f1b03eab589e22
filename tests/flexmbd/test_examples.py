"""Every public name has an example in its docstring, and each example does what it says."""

import doctest
import importlib

import pytest

import flexmbd

PARTS = (  # that the pages of theory name, to be used by themselves
    "nonsmooth.ContactProblem", "nonsmooth.solve", "impacts.planar_impact", "impacts.spatial_impact", "impacts.multiple_impacts",
    "lubrication.reynolds.ReynoldsBearing", "lubrication.fields.film_fields", "lubrication.film_map.build_map", "wear.archard.archard",
    "linalg.direct.analyse", "properties.published",
)  # fmt: skip
WITHOUT = set()  # names that have none yet
NEEDS = {"reference": "sksundae"}  # packages of examples
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(name):
    """The doctest of a name."""
    module, _, own = f"flexmbd.{name}".rpartition(".")
    made = getattr(importlib.import_module(module), own)
    return doctest.DocTestParser().get_doctest(made.__doc__ or "", {}, name, None, None)


def test_every_public_name_has_an_example():
    assert {name for name in (*flexmbd.__all__, *PARTS) if not examples(name).examples} == WITHOUT


@pytest.mark.parametrize("name", sorted({*flexmbd.__all__, *PARTS} - WITHOUT))
def test_example(name, tmp_path, monkeypatch):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)
    said = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(examples(name), out=said.append)
    assert "".join(said) == ""
