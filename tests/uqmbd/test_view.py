"""The pages of `uqmbd view`: what is shown of results of every state."""

import json
import shutil
import subprocess
import sys
import time

import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("httpx", reason="httpx is not installed: pip install -e '.[test]'")

import uqmbd as uq
from uqmbd.campaign.locking import Lock, held
from uqmbd.errors import StudyError
from uqmbd.figures.colors import DARK, LIGHT
from uqmbd.web.shelf import require_results

from .test_foreign_results import change_root
from .web_pages import CHANGES, SLOW, Asker, words

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def done(write_study, uqmbd, tmp_path):
    """A folder of results with one study, whose title would be a script."""
    assert uqmbd("run", write_study(('name = "osc"', f'name = "osc"\ntitle = "{SCRIPT}"\ndescription = "How far?"')))[0] == 0
    return tmp_path / "results"


@pytest.fixture
def asker(done, tmp_path):
    """Asks about it."""
    return Asker(done, tmp_path)


# what is shown ----------------------------------------------------------------------------------------------------------------------------
def test_a_finished_result_is_told_with_its_answer(asker, done):
    answer = asker.shelf.answers.wait(done / "osc")
    assert answer.wrong == "" and "peak" in " ".join(answer.short) and answer.judged is not None
    for address in ("/", "/of/osc"):
        page = asker.get(address)
        assert (
            "finished" in words(page)
            and "How far?" in words(page)
            and answer.short[0] in words(page)
            and answer.judged.label.lower() in words(page).lower()
            and "40" in words(page)
        )
    picture = asker.get("/picture/osc?dark=1&narrow=1")
    assert picture.headers["content-type"] == "image/png" and picture.content[:4] == b"\x89PNG"


def test_names_are_text(asker, done):
    for address in ("/of/osc", "/studies"):
        page = asker.get(address).text
        assert SCRIPT not in page and "&lt;script&gt;" in page


def test_a_list_is_there_before_its_answers_are(done, tmp_path):
    asker = Asker(done, tmp_path)
    asker.shelf.answers.of = lambda folder: time.sleep(0.2) or uq
    page = asker.get("/?part=1").text
    assert "is being read" in page and 'data-again="0"' not in page and "<html" not in page
    assert "is being read" in asker.get("/").text
    asker.shelf.answers.close()


def test_damaged_and_newer_results_have_their_sentence(asker, done):
    shutil.copytree(done / "osc", done / "newer")
    change_root(done / "newer" / "result.zarr", lambda root: root.update(format=99))
    zarr = done / "osc" / "result.zarr" / "zarr.json"
    zarr.write_text(zarr.read_text().replace('"', " ", 1))
    page = words(asker.get("/of/osc"))
    assert "zarr.json" in page and "remedy" in page
    asker.shelf.answers.wait(done / "newer")
    for address in ("/", "/of/newer"):
        page = words(asker.get(address))
        assert "later version of uqmbd" in page and "cannot be read" in page and "Go on" not in page
    (done / "osc" / "study.toml").write_text("no [toml")
    assert "damaged" in words(asker.get("/of/osc")) and asker.get("/").status_code == 200


def test_a_study_of_several_methods_has_a_page_that_leads_to_each(write_study, uqmbd, tmp_path):
    two = '[[method]]\ntype = "montecarlo"\nlabel = "{0}"\nsamples = 10\n\n[[method]]\ntype = "montecarlo"\nlabel = "b"\nsamples = 20'
    change = ('[method]\ntype = "montecarlo"\nsamples = 40', two.format("a"))
    assert uqmbd("run", write_study(change, ('name = "osc"', 'name = "two"')))[0] == 0
    asker = Asker(tmp_path / "results", tmp_path)
    page = asker.get("/of/two")
    assert "2 methods" in words(page) and "/of/two/a" in page.text and "/of/two/b" in page.text
    assert f"/report/{asker.keys.report('two')}/two/a/report.html" in asker.get("/of/two/a").text
    listed = words(asker.get("/"))
    assert "two/a" in listed.replace("/ ", "/") and "2 methods" in listed
    assert [row.place for row in asker.shelf.rows()] == ["two", "two/a", "two/b"]


def test_two_are_compared_as_the_command_does(asker, done, write_study, uqmbd):
    assert uqmbd("run", write_study(("samples = 40", "samples = 60")), "--out", done / "more")[0] == 0
    told = uqmbd("compare", done / "osc", done / "more")[1]
    page = words(asker.get("/compare?of=osc&of=more"))
    assert "method.samples: 40" in page and "method.samples: 40 -> 60" in told
    number = next(line for line in told.splitlines() if "numbers differ" in line)
    assert number.strip() in page
    assert "1 results are chosen" in words(asker.get("/compare?of=osc"))
    assert "there is no result here" in words(asker.get("/compare?of=osc&of=nothing"))


def test_studies_that_can_be_started_are_listed(asker, tmp_path, done):
    (tmp_path / "broken.toml").write_text("[study")
    (tmp_path / "other.toml").write_text("[tool]\nx = 1\n")
    (tmp_path / "away.toml").symlink_to(tmp_path / "study.toml")
    page = asker.get("/studies").text
    assert 'value="study.toml"' in page and "broken" not in page and "other.toml" not in page and "away" not in page
    assert "results/osc/study.toml" not in page, "what lies beside results is no study to start"
    assert "There is no folder" in words(Asker(done, tmp_path / "nowhere").get("/studies"))


def test_a_fault_is_a_page_too(asker, monkeypatch):
    monkeypatch.setattr(asker.shelf, "rows", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # which the server writes to its terminal, after the answer
        asker.get("/")
    monkeypatch.setattr(asker.shelf, "rows", lambda: open("nowhere"))
    assert asker.get("/").status_code == 409 and "Cannot be read" in words(asker.get("/"))


def test_no_folder_yet_is_no_mistake(tmp_path):
    asker = Asker(tmp_path / "results", tmp_path)
    assert "no results here yet" in words(asker.get("/"))
    assert asker.get("/of/osc").status_code == 404


def test_results_of_one_study_are_not_a_folder_of_results(done):
    with pytest.raises(StudyError, match="one study"):
        require_results(done / "osc")
    require_results(done)


# looking on -------------------------------------------------------------------------------------------------------------------------------
@pytest.fixture
def interrupted(write_study, uqmbd, monkeypatch, tmp_path):
    """12 of 40 runs, of a model that must not be loaded again."""
    from .test_watching import stop_after

    study = write_study(("workers = 0", "workers = 0\nbatch = 4"))
    with monkeypatch.context() as patch:
        stop_after(patch, 3)
        assert uqmbd("run", study)[0] == 130
    (tmp_path / "model.py").write_text("raise SystemExit('the model was executed')")
    return Asker(tmp_path / "results", tmp_path)


def test_what_has_not_ended_is_looked_at_and_nothing_is_executed(interrupted):
    page = words(interrupted.get("/of/osc"))
    assert "interrupted" in page and "12 of 40 runs, 0 failed" in page and "Last seen at" in page and "So far" in page and "peak" in page
    assert "Go on" in page and interrupted.get("/picture/osc").content[:4] == b"\x89PNG"


def test_looks_are_not_so_often_that_they_slow_a_study_down(interrupted):
    looks, folder = interrupted.shelf.looks, interrupted.shelf.folder / "osc"
    first = looks.look(folder)
    assert looks.look(folder) is first and looks.seen[folder].next > time.monotonic()
    looks.seen[folder].next = 0.0
    assert looks.look(folder).number == 2


def test_a_method_of_a_file_is_not_executed_to_look(interrupted):
    file = interrupted.shelf.folder / "osc" / "study.toml"
    file.write_text(file.read_text().replace('type = "montecarlo"', 'type = "evil.py:Method"'))
    (interrupted.shelf.folder / "osc" / "checksums.json").unlink()
    assert "code that would have to be executed" in words(interrupted.get("/of/osc"))


def test_a_study_that_runs_elsewhere_is_not_stopped_from_here(interrupted):
    lock = Lock(interrupted.shelf.folder / "osc")
    page = interrupted.get("/of/osc")
    assert "running" in words(page) and "started elsewhere" in words(page) and 'data-again="0"' not in page.text
    answer = interrupted.post("/stop", place="osc")
    assert answer.status_code == 409 and "by Ctrl-C" in words(answer)
    lock.release()


def test_a_look_at_a_lock_does_not_stop_one_who_takes_it(tmp_path, monkeypatch):
    import fcntl
    import os

    Lock(tmp_path).release()
    stream = os.open(tmp_path / "lock", os.O_RDWR)
    fcntl.flock(stream, fcntl.LOCK_EX)
    monkeypatch.setattr("uqmbd.campaign.locking.time.sleep", lambda seconds: os.close(stream))
    lock = Lock(tmp_path)
    assert held(tmp_path)
    lock.release()


def test_figures_have_the_colours_of_the_screen_and_its_width(bounded):
    import io

    import numpy as np
    from PIL import Image

    from uqmbd.figures.colors import rgb
    from uqmbd.web.answers import answer_of, picture

    figure = answer_of(bounded).figures[0]
    for dark, theme in ((False, LIGHT), (True, DARK)):
        wide, narrow = (
            np.asarray(Image.open(io.BytesIO(picture(figure, dark=dark, narrow=small))).convert("RGB")) for small in (False, True)
        )
        assert tuple(wide[2, 2]) == rgb(theme["paper"]) and wide.shape[1] > 1.8 * narrow.shape[1]


# starting ---------------------------------------------------------------------------------------------------------------------------------
def until(true, seconds=60.0):
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("never true")


@pytest.mark.slow
def test_a_study_is_started_stopped_and_gone_on_with(write_study, tmp_path, monkeypatch):
    """The second server finds and stops what the first one has started."""
    write_study(*CHANGES, ("samples = 40", "samples = 60"), ("workers = 0", "workers = 0\nbatch = 2"), model=SLOW)
    monkeypatch.setenv("SECONDS_OF_A_RUN", "0.4")
    asker = Asker(tmp_path / "results", tmp_path)
    answer = asker.post("/start", study="study.toml")
    assert answer.status_code == 303 and answer.headers["location"] == "/of/osc"
    assert asker.post("/start", study="study.toml").status_code == 409, "it is running"
    until(lambda: asker.shelf.looks.look(tmp_path / "results" / "osc").runs > 4)
    later = Asker(tmp_path / "results", tmp_path)
    assert "running" in words(later.get("/of/osc")) and "Stop" in words(later.get("/of/osc"))
    assert later.post("/stop", place="osc").status_code == 303
    until(lambda: "interrupted" in words(asker.get("/of/osc")) and asker.shelf.jobs.code("osc") is not None)
    assert asker.shelf.jobs.code("osc") == 128 + 15 and "what is done is stored" in asker.shelf.jobs.said("osc")
    monkeypatch.setenv("SECONDS_OF_A_RUN", "0")
    assert later.post("/resume", place="osc").status_code == 303
    until(lambda: "finished" in words(later.get("/of/osc")))
    assert len(uq.open_results(tmp_path / "results" / "osc").runs["status"]) == 60 and "were there" in later.shelf.jobs.said("osc")


@pytest.mark.slow
def test_what_a_command_refuses_is_shown(write_study, tmp_path):
    write_study(("model.py:oscillator", "model.py:nothing"))
    asker = Asker(tmp_path / "results", tmp_path)
    assert asker.post("/start", study="study.toml").status_code == 303
    until(lambda: asker.shelf.jobs.process("osc") is None)
    page = words(asker.get("/of/osc"))
    assert "there is no function" in page and "not begun" in page


@pytest.mark.slow
def test_what_a_command_refuses_is_shown_beside_a_result_too(write_study, uqmbd, tmp_path):
    assert uqmbd("run", write_study())[0] == 0
    write_study(("end = 2.0", "end = 3.0"))
    asker = Asker(tmp_path / "results", tmp_path)
    assert asker.post("/start", study="study.toml").status_code == 303
    until(lambda: asker.shelf.jobs.process("osc") is None)
    page = asker.get("/of/osc")
    assert "holds the results of another study" in words(page) and "finished" in words(page) and "<details open>" in page.text


@pytest.mark.slow
def test_the_command_serves_on_the_loopback_alone_and_studies_outlive_it(write_study, tmp_path, request):
    import psutil

    write_study(*CHANGES, ("samples = 40", "samples = 400"), ("workers = 0", "workers = 0\nbatch = 2"), model=SLOW)
    code = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from uqmbd.cli import program; program()"
    words_of = [sys.executable, "-c", code, "view", "--studies", "."]
    server = subprocess.Popen(words_of, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    request.addfinalizer(server.kill)
    import httpx

    line = server.stdout.readline()
    address = line.split()[-1]
    with httpx.Client() as client:
        page = client.get(address, follow_redirects=True)
        assert page.status_code == 200 and "no results here yet" in page.text
        place = address.partition("/?")[0]
        port = int(place.rpartition(":")[2])
        listening = [one.laddr for one in psutil.Process(server.pid).net_connections() if one.status == psutil.CONN_LISTEN]
        assert [(one.ip, one.port) for one in listening] == [("127.0.0.1", port)]
        token = client.get(f"{place}/studies").text.split('name="token" value="')[1].partition('"')[0]
        started = client.post(f"{place}/start", data={"token": token, "study": "study.toml"}, headers={"Origin": place})
        assert started.status_code == 303
        job = tmp_path / "results" / ".view" / "osc.json"
        until(job.is_file)
        study = psutil.Process(json.loads(job.read_text())["pid"])
        until(lambda: "running" in client.get(f"{place}/of/osc").text)
    server.send_signal(2)
    rest, said = server.communicate(timeout=30)
    assert server.returncode == 0 and "ended" in rest and said == "", said
    assert study.is_running() and held(tmp_path / "results" / "osc")
    later = Asker(tmp_path / "results", tmp_path)
    assert later.post("/stop", place="osc").status_code == 303
    until(lambda: not held(tmp_path / "results" / "osc"))


def test_without_the_packages_the_command_names_the_extra(uqmbd, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("uqmbd.web", "starlette"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    code, said = uqmbd("view")
    assert code == 2 and "pip install 'uqmbd[web]'" in said


def test_a_port_that_is_taken_is_said(uqmbd):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = uqmbd("view", "--port", taken.getsockname()[1])
    assert code == 2 and "--port" in said and "cannot be listened to" in said
