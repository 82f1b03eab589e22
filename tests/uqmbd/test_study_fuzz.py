"""Damaged study files: whatever is wrong, one message and no traceback."""

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uqmbd.spec.toml import write_toml

GOOD = {
    "study": {"name": "fuzz", "model": "model.py:f"},
    "time": {"end": 1.0, "points": 5},
    "inputs": {"a": {"interval": [1.0, 2.0], "unit": "mm"}, "b": {"interval": [0.0, 1.0]}},
    "outputs": {"include": ["y", "y:max"]},
    "method": {"type": "chebyshev", "degree": 1},
    "campaign": {"workers": 0, "seed": 1},
    "report": {"orbits": [["y", "y", "a"]], "regimes": ["y"], "fields": "model.py:g", "needs": ["z"]},
}
MODEL = """
def f(a, b, time):
    return {'y': a + b * time, 'z': 0 * time}

def g(run):
    from xarray import DataArray
    return DataArray(run.outputs["z"], dims="time", coords={"time": run.time}, name="g")
"""

texts = st.text(max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
places = st.sampled_from(
    [(section,) for section in GOOD]
    + [(section, key) for section, table in GOOD.items() for key in table]
    + [("inputs", "a", "interval"), ("inputs", "a", "unit"), ("campaign", "batch"), ("campaign", "timeout"), ("method", "max_runs")]
    + [("report", "regime_labels")]
)
harms = st.lists(st.tuples(places, st.sampled_from(["set", "drop", "rename"]), values, texts), min_size=1, max_size=3)


def damaged(document: dict, place: tuple[str, ...], how: str, value, name: str) -> dict:
    """A copy of the document with one entry changed, dropped or renamed."""
    head, *rest = place
    copy = dict(document)
    if rest:
        if isinstance(copy.get(head), dict):
            copy[head] = damaged(copy[head], tuple(rest), how, value, name)
    elif how == "set" and value is not None:
        copy[head] = value
    elif head in copy:
        taken = copy.pop(head)
        if how == "rename":
            copy[name] = taken
    return copy


def as_toml(document: dict) -> str:
    """TOML of any nested document, with tables inline below the sections."""
    from uqmbd.spec.toml import toml_key, toml_value

    plain = {key: value for key, value in document.items() if not isinstance(value, dict)}
    head = "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in plain.items())
    sections = {key: value for key, value in document.items() if isinstance(value, dict)}
    return head + "".join(
        f"[{toml_key(section)}]\n" + "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items())
        for section, table in sections.items()
    )


def run(uqmbd, tmp_path, text: str) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "study.toml").write_text(text, encoding="utf-8", errors="surrogatepass")
    code, output = uqmbd("check", tmp_path / "study.toml")
    assert "Traceback" not in output
    assert code in (0, 2), output
    if code:
        assert output.startswith("error: ") and "study.toml" in output and "remedy:" in output, output


pytestmark = pytest.mark.usefixtures("tried_here")
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(harms)
def test_damaged_entries(uqmbd, tmp_path, harms):
    document = GOOD
    for harm in harms:
        document = damaged(document, *harm)
    text = as_toml(document)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # None or a lone surrogate: not TOML, which is a case of its own
        pass
    run(uqmbd, tmp_path, text)


@relaxed
@given(st.integers(0, 400), st.text(max_size=6), st.integers(0, 8))
def test_damaged_text(uqmbd, tmp_path, at, inserted, removed):
    text = write_toml(GOOD)
    run(uqmbd, tmp_path, text[:at] + inserted + text[at + removed :])


@pytest.mark.parametrize("text", ["", "\x00", "[study]", "study = 1", "[[study]]", "[inputs.a.b.c]\nd = 1", "a" * 10_000])
def test_odd_files(uqmbd, tmp_path, text):
    run(uqmbd, tmp_path, text)


def test_written_toml_reads_back():
    odd = {**GOOD, "solver": {"text": 'a "quoted"\n\\ \x7f ü', "on": True, "list": [1, 2.5, 1e-300], "table": {"deep": {"x": -0.0}}}}
    assert tomllib.loads(write_toml(odd)) == odd
