"""What somebody finds on the shelf: one version everywhere, types, citation, recipe, changelog, a short README."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest

import flexmbd as fm
import uqmbd as uq
from uqmbd.study.available import outputs_of

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = {"uqmbd": ROOT / "uqmbd", "flexmbd": ROOT / "solvers" / "flexmbd"}
CONDA = {"matplotlib": "matplotlib-base"}  # names that conda-forge has for them


def words(file: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_there_is_one_version():
    """As a checkout that was installed before says it, the packages may be behind: `make` installs again when `pyproject.toml` changes."""
    assert uq.__version__ == fm.__version__ == metadata("uqmbd")["Version"] == PROJECT["version"]
    assert words("CITATION.cff", r"^version: (\S+)$") == [PROJECT["version"]]
    assert words("conda/recipe.yaml", r"^  version: (\d\S*)$") == [PROJECT["version"]]
    assert words("CHANGELOG.md", r"^## \[(\S+)\]")[0] == PROJECT["version"]


def test_the_changelog_has_the_usual_form():
    headings = words("CHANGELOG.md", r"^##+ .*$")
    version = re.compile(r"## \[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d|unreleased)")
    kinds = {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}
    assert version.fullmatch(headings[0]) and [text for text in headings if not version.fullmatch(text) and text not in kinds] == []


def test_the_readme_is_read_at_a_glance():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert "](docs/overview.md)" in text and "](docs/images/" in text


def test_the_study_of_the_readme_is_one(tmp_path):
    """With the demo's model, which it names."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    (tmp_path / "study.toml").write_text(text)
    shutil.copy(ROOT / "studies" / "slider_crank_clearance" / "model.py", tmp_path)
    study = uq.Study.from_file(tmp_path / "study.toml")
    assert list(study.inputs) == ["clearance", "friction"] and {name.partition(":")[0] for name in study.outputs} <= set(outputs_of(study))


@pytest.mark.parametrize("package", [uq, fm], ids=lambda package: package.__name__)
def test_type_checkers_know_the_public_names(package):
    """`__init__.pyi` and `__init__.py` have the same names, and mean the same by them."""
    folder = PACKAGES[package.__name__]
    assert (folder / "py.typed").is_file()
    stub = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    homes = {alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(homes) == sorted(package.__all__)
    assert [name for name, home in homes.items() if getattr(importlib.import_module(home), name) is not getattr(package, name)] == []


def test_programs_that_type_checkers_read_run(tmp_path):
    """Those of `tests/typing`, which `make test` has checked."""
    import importlib.util

    found = {}
    for name in ("mechanism", "study"):
        spec = importlib.util.spec_from_file_location(f"typed_{name}", ROOT / "tests" / "typing" / f"{name}.py")
        found[name] = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = found[name]
        spec.loader.exec_module(found[name])
    assert not found["mechanism"].moved().status.any() and found["mechanism"].stepped().time == pytest.approx(1e-3)
    assert set(found["study"].told(tmp_path).data_vars) == {"x", "x:max", "y"}
    assert all(item.describe() for item in found["study"].inputs().values()) and len(found["mechanism"].properties()) == 2


def test_the_citation_fits_its_schema():
    pytest.importorskip("check_jsonschema")
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format", str(ROOT / "CITATION.cff")]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_conda_installs_what_pip_installs():
    wanted = [re.fullmatch(r"([\w.-]+)(.*)", entry).groups() for entry in PROJECT["dependencies"]]
    wanted = [f"{CONDA.get(name.lower(), name.lower())} {limit}".strip() for name, limit in wanted]
    run = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8").split("  run:\n")[1].split("\n\n")[0]
    listed = [line.removeprefix("    - ") for line in run.splitlines()]
    assert listed == ["__linux", f"python {PROJECT['requires-python']}", *wanted]


def test_commits_are_checked_by_the_tools_of_make():
    """The hooks name programs of `.venv/`, which `make test` runs too."""
    yaml = pytest.importorskip("yaml")
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    programs = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert programs == {"ruff", "lint-imports", "basedpyright"} and all(f"$(BIN)/{program}" in make for program in programs)


def test_the_recipe_is_one_for_the_program_that_builds_conda_packages():
    """rattler-build reads and renders it: unknown keys, versions and requirements that it cannot take are errors."""
    builder = pytest.importorskip("rattler_build")
    (rendered,) = builder.Stage0Recipe.from_file(str(ROOT / "conda" / "recipe.yaml")).render()
    assert (rendered.recipe.package.name, str(rendered.recipe.package.version)) == ("uqmbd", PROJECT["version"])
    with pytest.raises(builder.RecipeParseError):
        builder.Stage0Recipe.from_yaml((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8").replace("requirements:", "requires:"))
