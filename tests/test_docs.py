"""The pages of the site that are made: of benchmarks, of names; and the check of what was built."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import flexmbd
import uqmbd

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def loaded(name, monkeypatch):
    """A module of docs, which may import those beside it."""
    monkeypatch.syspath_prepend(str(DOCS))
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def benchmarks(monkeypatch):
    return loaded("benchmarks", monkeypatch)


def test_page_of_benchmarks_and_its_charts_are_up_to_date(benchmarks):
    assert benchmarks.page() == benchmarks.PAGE.read_text(encoding="utf-8"), "run: python docs/benchmarks.py"
    charts = {path.name: path.read_text(encoding="utf-8") for path in benchmarks.PICTURES.glob("*.svg")}
    assert benchmarks.pictures() == charts, "run: python docs/benchmarks.py"


def test_every_benchmark_is_on_the_page_and_every_record_has_a_date(benchmarks):
    shown = {name for names in benchmarks.SECTIONS.values() for name in names.split()}
    assert {path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")} <= shown
    assert {path.stem for path in benchmarks.RECORDS.glob("*.jsonl")} <= shown
    assert all({"name", "date", "machine"} <= set(one) for name in shown for one in benchmarks.records(name))


@pytest.mark.parametrize("how", ["option", "variable", "neither"])
def test_a_benchmark_keeps_its_last_line_where_it_is_asked_to(tmp_path, how):
    script = tmp_path / "speed.py"
    folder, line = str(ROOT / "benchmarks"), "'speed', 2.0, 1.5, 4.0, 2.0, 'runs/s', {'lanes': 16}"
    script.write_text(
        f"import sys; sys.path.insert(0, {folder!r})\nimport _common\nassert sys.argv[1:] == ['--quick']\n_common.report({line})\n"
    )
    environment = {key: x for key, x in os.environ.items() if key != "UQMBD_BENCHMARK_RECORDS"}
    if how != "neither":
        environment["UQMBD_BENCHMARK_RECORDS"] = str(tmp_path / "records")
    options = ["--quick", *(["--record"] if how == "option" else [])]
    done = subprocess.run([sys.executable, str(script), *options], env=environment, capture_output=True, text=True, check=True)
    told, path = json.loads(done.stdout), tmp_path / "records" / "speed.jsonl"
    assert told["ratio"] == 2.0 and path.is_file() == (how != "neither")
    if how != "neither":
        kept = json.loads(path.read_text(encoding="utf-8"))
        assert kept.items() >= told.items() and set(kept) - set(told) == {"date", "machine", "load", "commit"}


@pytest.mark.parametrize("package", [uqmbd, flexmbd], ids=["uqmbd", "flexmbd"])
def test_every_public_name_is_in_one_group_of_the_site(package, monkeypatch):
    names = [name for group in loaded("site_pages", monkeypatch).groups(package.__name__).values() for name in group]
    assert sorted(names) == sorted(package.__all__)


def test_every_page_of_theory_is_in_its_index():
    index = (DOCS / "theory" / "index.md").read_text(encoding="utf-8")
    assert [path.name for path in (DOCS / "theory").glob("*.md") if f"]({path.name})" not in index and path.name != "index.md"] == []


def test_every_page_is_in_the_navigation_of_the_site():
    index = (DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    pages = {str(path.relative_to(DOCS).with_suffix("")) for folder in (DOCS, DOCS / "flexmbd") for path in folder.glob("*.md")}
    assert pages - {"index"} <= set(index), "name it in a toctree of docs/index.md"


def test_links_out_of_docs_become_links_to_pages(monkeypatch):
    pages = loaded("site_pages", monkeypatch)
    text = "[a](../../studies/bouncing_ball/README.md) [b](joints.md#x) [c](../../README.md) [d](https://e.org) [e](../../studies) [f](#g)"
    page = DOCS / "theory" / "impacts.md"
    wanted = "[a](../studies/bouncing_ball.md) [b](joints.md#x) [c](../index.md) [d](https://e.org) [e](../studies/index.md) [f](#g)"
    assert pages.linked(text, page.parent, page) == wanted


def test_check_of_a_built_site_finds_dead_links_missing_places_and_what_is_fetched(tmp_path, monkeypatch):
    check = loaded("check_site", monkeypatch)
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="c.html">c</a><a href="b.html#not">n</a><a href="https://x.org">x</a>'
    )
    (tmp_path / "b.html").write_text(
        '<p id="here"></p><script src="https://cdn.org/x.js"></script><link rel="canonical" href="https://x.org">'
    )
    found = check.mistakes(tmp_path)
    assert found == ["a.html: there is no c.html", "a.html: there is no place b.html#not", "b.html: fetches https://cdn.org/x.js"]
