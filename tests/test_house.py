"""The house rules that a machine can hold: floors, documentation, size, and what must lie where."""

import ast
import json
import shutil
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (ROOT / "uqmbd", ROOT / "solvers" / "flexmbd", ROOT / "solvers" / "flexmbd_uq")
MODULES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))
DOCUMENTS = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent.name != "studies"]  # those are made for the site
DOCUMENTS += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
STUDIES = sorted((ROOT / "studies").glob("*/study.toml"))
LIMIT = 350  # lines
LINES = 60  # of a function, docstring not counted
LONGER = set()  # functions that still are
SHORTER = 330  # lines of a module of uqmbd
PARAMETERS = 8  # of a function of uqmbd, `self` not counted
STILL_MORE = {"uqmbd/cli.py: run"}  # a parameter for each option of the command


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def public(tree: ast.Module):
    """Public functions and classes of a module, and the public methods of its public classes."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (inner for inner in node.body if isinstance(inner, kinds) and not inner.name.startswith("_"))


def methods(tree: ast.Module):
    """Public methods of all classes of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from (inner for inner in node.body if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"))


@pytest.fixture(scope="module")
def explained():
    """Names of methods that some class of ours documents; those that override or fulfil them need no words of their own."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in MODULES)
    return {node.name for tree in trees for node in methods(tree) if ast.get_docstring(node)}


def test_no_circles_of_imports():
    """Not even of imports for types, or within functions."""
    graph = grimp.build_graph("uqmbd", exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # a `CycleError` names the circle


def test_imports_run_down_the_floors():
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(lint), "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_module_is_documented_and_small(path, explained):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < LIMIT
    tree = ast.parse(text)
    assert not tree.body or ast.get_docstring(tree), "the module has no docstring"
    inherited = {node for node in methods(tree) if node.name in explained}
    assert [f"line {node.lineno}: {node.name}" for node in public(tree) if not ast.get_docstring(node) and node not in inherited] == []


@pytest.mark.parametrize("path", [path for path in MODULES if path.is_relative_to(ROOT / "solvers")], ids=name)
def test_functions_are_short(path):
    long = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            told = node.body[0] if ast.get_docstring(node) else None
            lines = node.end_lineno - node.lineno + 1 - (told.end_lineno - told.lineno + 1 if told else 0)
            if lines > LINES:
                long.add(f"{name(path)}: {node.name}")
    assert long <= LONGER


def test_modules_of_uqmbd_are_shorter():
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES if path.is_relative_to(ROOT / "uqmbd")}
    assert {path for path, count in lines.items() if count > SHORTER} == set()


def test_parameter_lists_of_uqmbd_are_short():
    many = set()
    for path in (path for path in MODULES if path.is_relative_to(ROOT / "uqmbd")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                if sum(one is not None and one.arg not in ("self", "cls") for one in named) > PARAMETERS:
                    many.add(f"{name(path)}: {node.name}")
    assert many <= STILL_MORE


def test_every_package_lists_one_line_for_each_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    text = (ROOT / "docs" / "dependencies.md").read_text()
    assert [entry for entry in wanted if f"`{entry.split('>=')[0]}`" not in text] == []


def test_licence_changelog_and_readme():
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
    readme = (ROOT / "README.md").read_text()
    assert 0 < readme.index("make demo") < readme.index("make test") < readme.index("pip install")


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_in_the_documents_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    targets = [part.split(")")[0].split("#")[0] for part in text.split("](")[1:]]
    assert [target for target in targets if target and "://" not in target and not (path.parent / target).exists()] == []


@pytest.mark.slow
def test_example_of_the_readme_runs(tmp_path):
    code = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert len(code.splitlines()) <= 20
    (tmp_path / "example.py").write_text(code)
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert "pin.force:max" in done.stdout and (tmp_path / "results" / "pendulum" / "result.zarr").is_dir()


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_benchmark_states_its_prediction(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert path.name.startswith("_") or "Prediction" in text


@pytest.mark.parametrize("path", STUDIES, ids=name)
def test_study_is_explained_beside_it(path):
    assert (path.parent / "README.md").is_file()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_names_a_python_that_is_too_old(tmp_path):
    old = tmp_path / "oldpython"
    program = "import sys; sys.version_info = (3, 10, 4); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}" "$2"\n')
    old.chmod(0o755)
    done = subprocess.run(
        ["make", "test", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode != 0 and "is 3.10. Name another one" in done.stderr and not (tmp_path / "venv").exists()


@pytest.mark.parametrize("program", ["import uqmbd.cli", "from uqmbd.methods import METHODS; list(METHODS.values())"])
def test_command_line_and_methods_are_imported_without_the_heavy_libraries(program):
    """`uqmbd --help` answers at once, and a finished study soon: plotting, statistics and Dask are imported where they are needed."""
    heavy = ["matplotlib", "plotly", "dask", "distributed", "chaospy", "xarray", "numba", "llvmlite", "scipy", "pandas", "sklearn"]
    program += f"; import json, sys; print(json.dumps([name for name in {heavy} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
