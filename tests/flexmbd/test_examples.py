"""Every public name has an example in its docstring, and each example does what it says."""

import doctest

import pytest

import flexmbd

WITHOUT = set()  # names that have none yet
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(name):
    """The doctest of a name."""
    made = getattr(flexmbd, name)
    return doctest.DocTestParser().get_doctest(made.__doc__ or "", {}, name, None, None)


def test_every_public_name_has_an_example():
    assert {name for name in flexmbd.__all__ if not examples(name).examples} == WITHOUT


@pytest.mark.parametrize("name", sorted(set(flexmbd.__all__) - WITHOUT))
def test_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(examples(name), out=said.append)
    assert "".join(said) == ""
