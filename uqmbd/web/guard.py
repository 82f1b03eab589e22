"""Who may ask: a page of this server in the browser that was given the token, and nobody else on this machine or in the web.

- The server listens on the loopback interface alone, and answers to its own names only: a name of somebody's that was made to lead here
  (DNS rebinding) is another ``Host``.
- The token of the address becomes a cookie that scripts cannot read and that other sites' pages are not sent with.
- What changes something is a POST whose ``Origin`` is this server, with the token of the form besides: cookies do not tell ports apart.
- A report may hold any script, so it is served to a sandbox without origin: it has a key of its own in its address, which opens that
  report and nothing else, and no cookie is sent with what it asks for.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from uqmbd.web.places import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
REPORTS = "/report/"  # addresses that have a key of their own
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser hides the origin of a form as well
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Keys:
    """The token of a server that listens at `port`, random unless said, and what follows from it."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.token = token or secrets.token_urlsafe(32)
        self.cookie = f"uqmbd-{port}"  # cookies do not tell ports apart
        self.hosts = frozenset(f"{name}:{port}" for name in (LOOPBACK, "localhost"))

    def key(self, of: str) -> str:
        """What opens one thing alone, and does not tell the token."""
        return hmac.new(self.token.encode(), of.encode(), hashlib.sha256).hexdigest()

    @property
    def form(self) -> str:
        """What forms carry."""
        return self.key("form")

    def report(self, place: str) -> str:
        """What opens the report of a folder of results, and those below it."""
        return self.key(f"report {place}")

    def address(self) -> str:
        """What is opened in the browser."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"


def same(given: str | None, wanted: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell where they differ."""
    return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


class Guard:
    """Refuses what `uqmbd.web.guard` says, before anything of `app` is asked; every answer has `HEADERS`, unless it has its own.

    `refuse` makes the page of a refusal.
    """

    def __init__(self, app: ASGIApp, keys: Keys, refuse: Callable[[Refused], Response]) -> None:
        self.app, self.keys, self.refuse = app, keys, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise NotImplementedError(f"there is nothing for {scope['type']} here")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        try:
            answer = self.asked(request)
        except Refused as refused:
            answer = self.refuse(refused)
        await (answer or self.app)(scope, receive, with_headers)

    def asked(self, request: Request) -> Response | None:
        """An answer to who comes with the token; None to who may go on; `Refused` to all others."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self.keys.hosts:
            raise Refused("this server answers to its own address only", 403, remedy="use the address that `uqmbd view` printed")
        if origin is not None and origin != f"http://{host}":
            raise Refused("this was asked by a page of another place", 403, remedy="use the pages of `uqmbd view`")
        if request.method not in ("GET", "HEAD") and origin is None:
            raise Refused("this was asked by no page", 403, remedy="use the buttons of `uqmbd view`")
        if request.url.path == "/" and same(request.query_params.get("token"), self.keys.token):
            entered = RedirectResponse("/", status_code=303)
            entered.set_cookie(self.keys.cookie, self.keys.token, path="/", httponly=True, samesite="strict")
            return entered
        if request.url.path.startswith(REPORTS):
            return None  # whoever answers looks at its key
        if not same(request.cookies.get(self.keys.cookie), self.keys.token):
            raise Refused("this page needs the token of its address", 403, remedy="use the address that `uqmbd view` printed")
        return None
