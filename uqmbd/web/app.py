"""The server: an address for each page, and a POST for each thing that is done."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from uqmbd.errors import StudyError
from uqmbd.overview import compare
from uqmbd.report.page import POLICY as OF_REPORTS
from uqmbd.web import studies
from uqmbd.web.answers import picture, sentence_of
from uqmbd.web.guard import Guard, Keys, same
from uqmbd.web.pages import own, page, refusal, style
from uqmbd.web.places import Refused, address, inside
from uqmbd.web.shelf import MOVING, REPORT, Shelf

LARGEST = 1 << 16  # bytes of a form
SOON, REST, LATEST = 2, 5, 30  # s between two looks at a page: at least, times what it takes, at most
SANDBOX = f"sandbox allow-scripts allow-downloads allow-modals; {OF_REPORTS}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"


class Pages:
    """What is answered of the results in `shelf`, and of the study files in the folder `files`, which can be started."""

    def __init__(self, shelf: Shelf, files: Path, keys: Keys) -> None:
        self.shelf, self.files, self.keys = shelf, files, keys

    def routes(self) -> list[Route]:
        """All addresses."""
        return [
            Route("/", self.results),
            Route("/of/{place:path}", self.one),
            Route("/studies", self.studies),
            Route("/compare", self.compare),
            Route("/picture/{place:path}", self.picture),
            Route("/report/{key}/{place:path}", self.report),
            Route("/view.css", lambda _: Response(style(), media_type="text/css")),
            Route("/view.js", lambda _: Response(own("view.js"), media_type="text/javascript")),
            Route("/start", self.posted(self.start), methods=["POST"]),
            Route("/stop", self.posted(self.stop), methods=["POST"]),
            Route("/resume", self.posted(self.resume), methods=["POST"]),
        ]

    def page(self, template: str, request: Request, **values: Any) -> Response:
        """A page of the folder of results."""
        part = "part" in request.query_params
        return page(template, part=part, folder=str(self.shelf.folder), form=self.keys.form, keys=self.keys, bare=False, **values)

    # what is shown ------------------------------------------------------------------------------------------------------------------------
    def results(self, request: Request) -> Response:
        """The list."""
        began = time.monotonic()
        rows = self.shelf.rows()
        return self.page("list.html.j2", request, title="Results", rows=rows, again=pause(began, any(row.moving for row in rows)))

    def one(self, request: Request) -> Response:
        """One place."""
        began = time.monotonic()
        shown = self.shelf.one(request.path_params["place"])
        home = self.shelf.report_home(shown.place)
        return self.page("one.html.j2", request, title=shown.name, shown=shown, home=home, again=pause(began, shown.moving))

    def studies(self, request: Request) -> Response:
        """Study files that can be started."""
        files = studies.study_files(self.files)
        there = {row.place: row.state for row in self.shelf.rows()}
        where = {"studies": str(self.files), "exists": self.files.is_dir()}
        values = {"files": files, "there": there, "most": studies.MOST, "moving": MOVING, **where}
        return self.page("studies.html.j2", request, title="Start a study", again=False, **values)

    def compare(self, request: Request) -> Response:
        """Two results beside each other, or a choice of two."""
        rows = [row for row in self.shelf.rows() if row.answer is not None or row.pending]
        places = request.query_params.getlist("of")
        comparison, wrong, both = None, "", []
        if len(places) == 2:
            folders = [inside(self.shelf.folder, place) for place in places]
            both = [self.shelf.answers.wait(folder) for folder in folders]
            try:
                comparison = compare(*folders)
            except Exception as error:  # whatever lies in the folders, the page is shown
                wrong = sentence_of(error)
        elif places:
            wrong = f"{len(places)} results are chosen: two are compared."
        values = {"rows": rows, "places": places, "found": comparison, "wrong_text": wrong, "both": both}
        return self.page("compare.html.j2", request, title="Compare", again=False, **values)

    def picture(self, request: Request) -> Response:
        """A figure of a place as PNG, by its number, for a dark or light screen, wide or narrow."""
        answer = self.shelf.picture_of(request.path_params["place"])
        asked = request.query_params
        number = asked.get("number", "0")
        if answer is None or not number.isdecimal() or int(number) >= len(answer.figures):
            raise Refused("there is no figure here", 404)
        return Response(picture(answer.figures[int(number)], dark="dark" in asked, narrow="narrow" in asked), media_type="image/png")

    def report(self, request: Request) -> Response:
        """The file of a report as it is, in a sandbox: it may hold any script, and gets nothing of this server."""
        key, place = request.path_params["key"], request.path_params["place"]
        folder, _, name = place.rpartition("/")
        opens = [folder, folder.rpartition("/")[0]]
        if name != REPORT or not any(home and same(key, self.keys.report(home)) for home in opens):
            raise Refused("this is no address of a report", 403, remedy="open it from its page")
        file = inside(self.shelf.folder, place)
        if not file.is_file():
            raise Refused("there is no report here", 404, remedy=f"write it: uqmbd report {file.parent}")
        return FileResponse(file, media_type="text/html", headers={"Content-Security-Policy": SANDBOX, "Referrer-Policy": "no-referrer"})

    # what is done -------------------------------------------------------------------------------------------------------------------------
    def posted(self, act: Callable[[dict[str, str]], Response]) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that takes a form with its token."""

        async def answered(request: Request) -> Response:
            body = b""
            async for some in request.stream():
                body += some
                if len(body) > LARGEST:
                    raise Refused("this form is too large", 413)
            form = {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
            if not same(form.get("token"), self.keys.form):
                raise Refused("this form is of an earlier server", 403, remedy="load the page again")
            return await run_in_threadpool(act, form)

        return answered

    def start(self, form: dict[str, str]) -> Response:
        """Run a study file."""
        file, study = studies.chosen(self.files, form.get("study", ""))
        self.shelf.jobs.start(study.name, file)
        return to(study.name)

    def stop(self, form: dict[str, str]) -> Response:
        """End a study as Ctrl-C does."""
        place = form.get("place", "")
        inside(self.shelf.folder, place)
        self.shelf.jobs.stop(self.shelf.job_of(place) or place)
        return to(place)

    def resume(self, form: dict[str, str]) -> Response:
        """Go on with a study."""
        place = form.get("place", "")
        self.shelf.one(place)
        if other := self.shelf.job_of(place):
            raise Refused(f"{other} is running", 409, remedy="look at it, or stop it first")
        self.shelf.jobs.resume(place)
        return to(place)


def pause(began: float, moving: bool) -> int:
    """Seconds after which a page is looked at again that took from `began` on to make; 0 for one that does not change."""
    return min(max(SOON, round(REST * (time.monotonic() - began))), LATEST) if moving else 0


def to(place: str) -> Response:
    """On to the page of a place, so that loading it again does nothing again."""
    return RedirectResponse(address("of", place), status_code=303)


def application(results: Path, files: Path, keys: Keys) -> tuple[Guard, Shelf]:
    """The whole server, and what it knows of the results."""
    shelf = Shelf(results)

    def refused(request: Request, error: Exception) -> Response:
        if isinstance(error, Refused):
            return refusal(error)
        if isinstance(error, StudyError | OSError):
            return refusal(Refused(sentence_of(error), 409))
        if not isinstance(error, HTTPException):
            text = f"this page could not be made ({type(error).__name__})"
            return refusal(Refused(text, 500, remedy="this is a fault of uqmbd; the terminal of `uqmbd view` says where"))
        text = "there is no such page" if error.status_code == 404 else "this cannot be asked here"
        return refusal(Refused(text, error.status_code, remedy="go back to the list"))

    handlers = {kind: refused for kind in (Refused, StudyError, OSError, HTTPException, Exception)}
    app = Starlette(routes=Pages(shelf, files, keys).routes(), exception_handlers=handlers)
    return Guard(app, keys, refusal), shelf
