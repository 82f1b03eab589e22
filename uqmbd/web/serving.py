"""The command `uqmbd view`: a server on the loopback interface, and the address that opens it."""

from __future__ import annotations

import socket
from pathlib import Path

from uqmbd.errors import StudyError
from uqmbd.printing import near, say

NEEDED = ("starlette", "uvicorn")
ENDING = 1.0  # s that requests have when the server ends


def serve(results: Path, studies: Path, port: int = 0) -> None:
    """Serve the pages of a folder of results, and of a folder of study files that can be started, until Ctrl-C; port 0 takes a free one.

    Raises
    ------
    StudyError
        If the packages of the extra ``web`` are not there, `results` is no folder of results, or the port is taken.
    """
    try:
        import uvicorn

        from uqmbd.web.app import application
        from uqmbd.web.guard import LOOPBACK, Keys
        from uqmbd.web.shelf import require_results
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package not in NEEDED:
            raise
        raise StudyError(f"the page needs the package {package}", remedy="pip install 'uqmbd[web]'") from None
    require_results(results)
    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:
        remedy = "choose another one, or leave --port out"
        raise StudyError(f"cannot be listened to: {error.strerror}", key="--port", value=port, remedy=remedy) from None
    with listening:
        keys = Keys(listening.getsockname()[1])
        app, shelf = application(results.absolute(), studies, keys)
        how = {"lifespan": "off", "ws": "none", "log_config": None, "access_log": False, "proxy_headers": False, "server_header": False}
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=round(ENDING), **how))
        say(f"results of {near(results.absolute())}: {keys.address()}")
        say("This address is for you alone. Ctrl-C ends the page; studies that were started from it go on.")
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            say("ended")
        finally:
            shelf.answers.close()
