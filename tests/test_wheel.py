"""The wheel, in an empty environment far from the checkout: what a new user does first."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
INSIDE = {  # folder of the wheel: folder of the checkout
    "uqmbd": ROOT / "uqmbd", "flexmbd": ROOT / "solvers" / "flexmbd", "flexmbd_uq": ROOT / "solvers" / "flexmbd_uq",
    "flexmbd/data": ROOT / "data", "uqmbd/studies": ROOT / "studies",
}  # fmt: skip
pytestmark = pytest.mark.slow


def newest() -> str | None:
    """The newest other Python of this machine that starts and can make environments, if there is one that is newer."""
    named = [shutil.which(f"python3.{minor}") for minor in range(30, 11, -1)]
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.1?.*/bin/python3"), reverse=True)
    program = f"import sys, ensurepip, venv; sys.exit(sys.version_info[:2] <= {sys.version_info[:2]})"
    works = (
        python
        for python in filter(None, [*named, *map(str, kept)])
        if not subprocess.run([python, "-c", program], capture_output=True).returncode
    )
    return next(works, None)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(ROOT)],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (found,) = place.glob("*.whl")
    return found


@pytest.fixture(scope="module", params=["this Python", "the newest Python"])
def call(request, wheel, tmp_path_factory):
    """Run a program of an empty environment, into which the wheel was installed, in a folder of its own."""
    python = sys.executable if request.param == "this Python" else newest()
    if python is None:
        pytest.skip("this machine has no newer Python")
    place = tmp_path_factory.mktemp("user")
    bare = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def call(program, *arguments):
        done = subprocess.run([str(program), *map(str, arguments)], cwd=place, env=bare, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call(python, "-m", "venv", "env")
    call(place / "env/bin/pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", wheel)
    return lambda program, *arguments: call(place / "env" / "bin" / program, *arguments)


def test_every_file_is_inside(wheel):
    """Templates, styles, scripts, tables, studies, licences."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"{place}/{file.relative_to(folder)}" for place, folder in INSIDE.items() for file in folder.rglob("*")
              if file.is_file() and not {"__pycache__", "results"} & set(file.parts)}  # fmt: skip
    assert wanted - inside == set() and any(name.endswith("licenses/LICENSE") for name in inside)
    assert {"uqmbd/py.typed", "flexmbd/py.typed", "flexmbd/viewer/assets/ogl.LICENSE", "uqmbd/studies/README.md"} <= inside


def test_a_new_user_gets_answers(call):
    """`import`, the demo with few runs, the first study of the tutorial, the worked studies."""
    assert call("python", "-W", "error", "-c", "import uqmbd, flexmbd; print(uqmbd.__version__ == flexmbd.__version__)") == "True\n"
    where = Path(call("python", "-c", "import uqmbd; print(uqmbd.__file__)").strip())
    assert not where.is_relative_to(ROOT)
    place = where.parents[5]
    said = call("uqmbd", "demo", "--runs", 400)
    assert "B.force:max" in said and (place / "results/slider_crank_clearance/report.html").stat().st_size > 1e6
    call("uqmbd", "new", "first", "--mechanism", "slider_crank")
    assert "B.force:max" in call("uqmbd", "run", "--no-report", "first/study.toml")
    assert (place / "results/first/result.zarr").is_dir()
    call("uqmbd", "studies")
    assert {study.parent.name for study in (ROOT / "studies").glob("*/study.toml")} == {
        study.parent.name for study in (place / "studies").glob("*/study.toml")
    }
