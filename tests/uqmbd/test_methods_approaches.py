"""Methods of several approaches: each approach is a class of its own, and behaves as the method that it is one of."""

import copy
import pickle
import subprocess
import sys

import cloudpickle
import jsonschema
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.methods import METHODS, read_method
from uqmbd.methods.approach import ByApproach
from uqmbd.spec.schema import schema
from uqmbd.spec.tables import method_table

LEAST = {"sensitivity": {"samples": 400}, "reliability": {"output": "y", "above": 1.0}}
SEVERAL = [pytest.param(kind, name, id=f"{kind.name}-{name}") for kind in (uq.Sensitivity, uq.Reliability) for name in kind.approaches]


def made(kind, name):
    keys = {key: value for key, value in LEAST[kind.name].items() if key in kind.approaches[name].model_fields}
    return kind(approach=name, **keys)


@pytest.mark.parametrize(("kind", "name"), SEVERAL)
def test_an_approach_is_its_method(kind, name):
    """It has its own keys, and copies, pickles, validates and reads back as itself."""
    one = made(kind, name)
    assert isinstance(one, kind) and type(one) is kind.approaches[name] and one.approach == name
    assert one.name == kind.name and METHODS[one.name] is kind
    keys = one.model_dump()
    assert set(keys) == set(type(one).model_fields) and one.own().items() <= keys.items()
    assert set(type(one).own_keys()) == set(keys) - set(kind.model_fields)
    again = [pickle.loads(pickle.dumps(one)), cloudpickle.loads(cloudpickle.dumps(one)), copy.deepcopy(one), one.model_copy()]
    again += [kind.model_validate(keys), type(one)(**keys), kind(**{**keys, "max_failed": 0.05}), read_method(method_table(one))]
    assert all(other == one and type(other) is type(one) and hash(other) == hash(one) for other in again)
    other = type(one)(**{**keys, "max_failed": 0.5})
    assert other != one and other.max_failed == 0.5 and one.model_copy(update={"max_failed": 0.5}) == other


def test_default_and_said_are_the_same_settings():
    assert uq.Sensitivity(approach="morris", samples=8) == uq.Sensitivity(approach="morris", samples=8, levels=4)
    assert uq.Sensitivity(approach="morris", samples=8) != uq.Sensitivity(approach="dgsm", samples=8)


@pytest.mark.parametrize("kind", [uq.Sensitivity, uq.Reliability])
@pytest.mark.parametrize(
    ("values", "words"), [({}, "the key 'approach' is missing"), ({"approach": ["form"]}, "should be"), ({"approach": None}, "or")]
)
def test_one_that_is_not_named(kind, values, words):
    for make in (lambda: kind(**values), lambda: kind.model_validate(values)):
        with pytest.raises(StudyError, match=words) as error:
            make()
        assert error.value.key == "approach"


@pytest.mark.parametrize(("kind", "name"), SEVERAL)
def test_the_schema_has_each_approach_with_its_own_keys(kind, name):
    validator = jsonschema.Draft202012Validator(schema()["$defs"]["method"] | {"$defs": schema()["$defs"]})
    table = method_table(made(kind, name))
    assert validator.is_valid(table)
    assert not validator.is_valid({key: value for key, value in table.items() if key != "approach"})
    others = {key for one in kind.approaches.values() for key in one.own_keys()} - set(kind.approaches[name].own_keys())
    assert others and not any(validator.is_valid(table | {key: 5}) for key in others)
    for key in others:
        with pytest.raises(StudyError, match=rf"the approach {name} has no key '{key}'; .* (has|have) it") as error:
            read_method(table | {key: 5})
        assert error.value.key == key and f"{name} takes" in error.value.remedy


def test_a_further_approach_from_outside():
    """A class that comes from a method, or from one of its approaches, is made as itself and is no approach of the method's."""

    class Other(type(uq.Sensitivity(approach="derivative"))):
        """Two-sided."""

        sides: int = 2

    found = Other(approach="derivative", step=0.1)
    assert type(found) is Other and found.own() == {"step": 0.1, "sides": 2} and Other not in uq.Sensitivity.approaches.values()
    with pytest.raises(StudyError, match="the approach derivative has no key 'levels'; morris has it"):
        Other(approach="derivative", levels=3)


def test_settings_are_light():
    """To read the settings of all approaches loads none of what their runs need."""
    heavy = "{'xarray', 'pandas', 'numba', 'scipy', 'sklearn', 'SALib'}"
    names = {kind.name: list(kind.approaches) for kind in METHODS.values() if issubclass(kind, ByApproach)}
    code = f"import sys\nfrom uqmbd.methods import METHODS\nassert all(list(METHODS[k].approaches) == v for k, v in {names}.items())\n"
    done = subprocess.run([sys.executable, "-c", f"{code}print({heavy} & set(sys.modules))"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()" and set(names) == {"sensitivity", "reliability"}
