"""The results of a folder as the pages show them: rows of the list, and one place with all that can be done there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from uqmbd.campaign.locking import held
from uqmbd.errors import StudyError
from uqmbd.overview import Entry, entries, entry
from uqmbd.runs.where import STUDY, labels_in
from uqmbd.web.answers import Answer, Answers
from uqmbd.web.jobs import Jobs
from uqmbd.web.looks import Look, Looks
from uqmbd.web.places import Refused, inside

REPORT = "report.html"
OF_PLACE = (STUDY, "result.zarr")  # of which a folder of results has one at least; its runs may lie elsewhere, where it says so
MOVING = ("starting", "running", "finishing", "stopping")  # states that change by themselves
UNREAD = "cannot be read"
OF_ANSWER = ("finished", "stopped", "damaged")  # states of which there is, or was, a result


@dataclass(frozen=True)
class Listed:
    """One place, and what is known of it.

    Its state is one of `uqmbd.overview.Entry`; or ``starting``, ``finishing`` (its report is written) and ``stopping`` of what was started
    here, ``not begun`` where a command has ended before there was anything, and `UNREAD`.
    """

    place: str  # below the folder of results
    name: str
    method: str
    state: str
    runs: int = 0
    failed: int = 0
    changed: datetime | None = None
    title: str = ""
    question: str = ""
    answer: Answer | None = None
    pending: bool = False  # its answer is being read
    report: bool = False
    methods: tuple[Listed, ...] = ()  # of a study of several
    look: Look | None = None  # what was seen of its runs, where it is not finished
    ours: bool = False  # it runs, and was started here
    said: str = ""  # what its command said last
    refused: bool = False  # the last command ended with an error, as when the folder holds results of another study

    @property
    def moving(self) -> bool:
        """Whether it changes by itself."""
        return self.state in MOVING or self.pending or any(one.moving for one in self.methods)


class Shelf:
    """A folder of results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jobs, self.answers, self.looks = Jobs(folder), Answers(), Looks()

    def rows(self) -> list[Listed]:
        """All results, the last ones first, methods below their study; before them what is starting."""
        shown = [self.of_entry(one, self.place_of(one.directory)) for one in self.entries()]
        shown += list(self.studies_of(shown))
        there = {one.place for one in shown}
        starting = [self.starting(place) for place in self.jobs.places() if place not in there]
        when = {one.place: one.changed or datetime.max for one in shown}
        shown.sort(key=lambda one: one.place)  # a study before its methods
        shown.sort(key=lambda one: when.get(one.place.rpartition("/")[0], when[one.place]), reverse=True)
        return [*starting, *shown]

    def entries(self) -> list[Entry]:
        """What `uqmbd list` has, but no links to what lies elsewhere; nothing while there is no folder."""
        listed = entries(self.folder) if self.folder.is_dir() else []
        return [one for one in listed if not any((one.directory / name).is_symlink() for name in OF_PLACE)]

    def studies_of(self, rows: list[Listed]) -> Iterator[Listed]:
        """The studies of several methods, of which `entries` has each method."""
        for place in dict.fromkeys(one.place.rpartition("/")[0] for one in rows):
            if place and labels_in(self.folder / place):
                methods = tuple(one for one in rows if one.place.rpartition("/")[0] == place)
                yield self.several(place, methods)

    def one(self, place: str) -> Listed:
        """One place, with a look at its runs if it is not finished, and its answer if it is; `Refused` if there is nothing."""
        folder = inside(self.folder, place)
        study, result = (inside(folder, name) for name in OF_PLACE)
        if not study.is_file() and not result.is_dir():
            if self.jobs.known(place) is None:
                raise Refused("there are no results here", 404, remedy="go back to the list")
            return self.starting(place)
        if labels := labels_in(folder):
            inner = [(folder / label, f"{place}/{label}") for label in labels if (inside(folder, label) / STUDY).is_file()]
            return self.several(place, tuple(self.of_entry(entry(each), where) for each, where in inner))
        shown = self.of_entry(entry(folder), place, wait=True)
        return shown if shown.answer is not None else replace(shown, look=self.looks.look(folder))

    def of_entry(self, one: Entry, place: str, *, wait: bool = False) -> Listed:
        """An entry of `uqmbd list`, with its answer: now (`wait`), or when it is there."""
        job = self.job_of(place)
        state = self.state_of(one, job) if job else one.state
        answer, has = None, state in OF_ANSWER
        if has:
            answer = self.answers.wait(one.directory) if wait else self.answers.ask(one.directory)
            state = UNREAD if answer and answer.wrong and state != "damaged" else state
        shown = self.shown(replace(one, state=state), place, ours=bool(job))
        return replace(shown, answer=answer, pending=has and answer is None)

    def shown(self, one: Entry, place: str, *, ours: bool) -> Listed:
        """An entry with what its study file asks and its command said; `ours`: it runs, and was started here."""
        title, question = asked_in(one.directory)
        return Listed(
            place, one.name, one.method, one.state, one.runs, one.failed, one.changed, title, question, report=has_report(one.directory),
            ours=ours, said=self.jobs.said(place), refused=bool(self.jobs.code(place)),
        )  # fmt: skip

    def state_of(self, one: Entry, job: str) -> str:
        """The state of a place on which a command works that was started here."""
        if job in self.jobs.stopping:
            return "stopping"
        if one.state == "running":
            return "running"
        known = self.jobs.known(job)
        begun = known is not None and one.changed.timestamp() > known.began
        return "finishing" if begun and one.state in OF_ANSWER else "starting"

    def several(self, place: str, methods: tuple[Listed, ...]) -> Listed:
        """A study of several methods."""
        folder, job = self.folder / place, self.jobs.process(place)
        states = [one.state for one in methods]
        rest = next((state for state in states if state != "finished"), "finished" if states else "interrupted")
        state = "stopping" if place in self.jobs.stopping else "running" if job or held(folder) else rest
        when = [one.changed for one in methods if one.changed is not None]
        runs, failed = max((one.runs for one in methods), default=0), max((one.failed for one in methods), default=0)
        changed = max(when, default=datetime.fromtimestamp(folder.stat().st_mtime))
        whole = Entry(folder, folder.name, f"{len(labels_in(folder))} methods", state, runs, failed, changed)
        return replace(self.shown(whole, place, ours=job is not None), methods=methods)

    def starting(self, place: str) -> Listed:
        """A place of which there is a command, and no result yet."""
        runs = self.jobs.process(place) is not None
        state = "stopping" if place in self.jobs.stopping else "starting" if runs else "not begun"
        return Listed(place, place.rpartition("/")[2], "", state, ours=runs, said=self.jobs.said(place))

    def job_of(self, place: str) -> str:
        """The place whose command works on this one: itself, or the study of several methods that it is of; empty if none does."""
        for one in (place, place.rpartition("/")[0]):
            if one and self.jobs.process(one) is not None:
                return one
        return ""

    def picture_of(self, place: str) -> Answer | None:
        """The answer whose figure a page shows of a place."""
        folder = inside(self.folder, place)
        if not folder.is_dir():
            return None
        if entry(folder).state in OF_ANSWER:
            return self.answers.wait(folder)
        look = self.looks.last(folder) or self.looks.look(folder)
        return look.answer

    def report_home(self, place: str) -> str:
        """The place whose key opens a report: of a method that of its study, whose page links it."""
        above = place.rpartition("/")[0]
        return above if above and labels_in(self.folder / above) else place

    def place_of(self, directory: Path) -> str:
        """Where a folder is, in the words of an address."""
        return directory.relative_to(self.folder).as_posix()


def asked_in(folder: Path) -> tuple[str, str]:
    """Title and question of the study in a folder; empty where its file has none, or cannot be read."""
    try:
        top = tomllib.loads((folder / STUDY).read_text(encoding="utf-8"))["study"]
        return str(top.get("title", "")), str(top.get("description", ""))
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return "", ""


def has_report(folder: Path) -> bool:
    """Whether a folder has a page."""
    page = folder / REPORT
    return page.is_file() and not page.is_symlink()


def require_results(folder: Path) -> None:
    """`StudyError` for a folder that is itself that of one study, or a file."""
    if folder.is_file():
        raise StudyError("is a file", file=folder, remedy="name the folder that holds results")
    if (folder / STUDY).is_file() and ((folder / "lock").exists() or (folder / "result.zarr").is_dir()):
        raise StudyError("holds the results of one study", file=folder, remedy=f"name the folder above it: uqmbd view {folder.parent}")
