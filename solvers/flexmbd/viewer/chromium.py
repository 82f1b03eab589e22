"""A chromium without a window, in which a page is opened: told by its DevTools protocol through two pipes, so that no port is open."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path

from flexmbd.errors import ModelError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --hide-scrollbars --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-pipe"
).split()  # no sandbox: the page is ours, and where root runs there is none; drawn by the processor, so that all machines draw alike
PATIENCE = 60.0  # s


def program():
    """Path of the browser.

    Raises
    ------
    ModelError
        If there is none.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        remedy = "install one (Debian: apt-get install chromium), or write a page: a path that ends in .html"
        raise ModelError(f"pictures and films need chromium or Chrome, and none of {', '.join(NAMES)} is on PATH", remedy=remedy)
    return found


class Chromium:
    """Context: ``with Chromium() as browser``. `folder` is empty and goes with it."""

    def __enter__(self):
        own = program()
        with contextlib.ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="flexmbd-", ignore_cleanup_errors=True)))
            self._asked, self._left, self._session = 0, b"", None
            command = [own, *SWITCHES, f"--user-data-dir={self.folder / 'profile'}", "about:blank"]
            self._pid, self._to, self._from = _started(command)
            stack.callback(self._end)
            target = next(x for x in self.ask("Target.getTargets")["targetInfos"] if x["type"] == "page")
            self._session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def open(self, page, ready, size, *, dark=False, scale=1):
        """Go to a file, in a window of so many pixels, dark or light, and wait until the script `ready` is true."""
        wide, high = size
        self.ask("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=scale, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Page.navigate", url=page.as_uri())
        until = time.monotonic() + PATIENCE
        while not self.run(ready):
            if time.monotonic() > until:
                raise _failed("it did not show the page in time")
            time.sleep(0.02)

    def run(self, script):
        """What a script in the page gives, after its promise is kept."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise _failed(f"the page's script failed: {answer['exceptionDetails'].get('exception', {}).get('description', '?')}")
        return answer["result"].get("value")

    def picture(self):
        """What the window shows, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"])

    def ask(self, method, **params):
        """One command of the protocol, and its answer."""
        self._asked += 1
        said = {"id": self._asked, "method": method, "params": params} | ({"sessionId": self._session} if self._session else {})
        data = memoryview(json.dumps(said).encode() + b"\0")
        try:
            while data:
                data = data[os.write(self._to, data) :]
        except BrokenPipeError:
            raise _failed("it ended") from None
        until = time.monotonic() + PATIENCE
        while (answer := self._next(until)).get("id") != self._asked:
            pass
        if "error" in answer:
            raise _failed(f"{method}: {answer['error'].get('message', '?')}")
        return answer["result"]

    def _next(self, until):
        """The next message."""
        while b"\0" not in self._left:
            if not select.select([self._from], [], [], max(0.0, until - time.monotonic()))[0]:
                raise _failed(f"it did not answer within {PATIENCE:g} s")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise _failed("it ended")
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def _end(self):
        for end in (self._to, self._from):
            os.close(end)
        os.kill(self._pid, signal.SIGTERM)
        until = time.monotonic() + 5.0
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                return
            time.sleep(0.02)


def _failed(why):
    return ModelError(f"chromium made no picture: {why}", remedy="try again, or write a page: a path that ends in .html")


def _started(command):
    """Number of the process, and the pipes to it and from it, which are its files 3 and 4."""
    (theirs, to), (own, out) = os.pipe(), os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs, out)]  # neither is 3 or 4
    nothing = [(os.POSIX_SPAWN_OPEN, k, os.devnull, os.O_RDWR, 0) for k in range(3)]
    try:
        pipes = [(os.POSIX_SPAWN_DUP2, end, k) for k, end in enumerate(ends, 3)]
        return os.posix_spawn(command[0], command, os.environ, file_actions=[*nothing, *pipes]), to, own
    except OSError as error:
        os.close(to)
        os.close(own)
        raise _failed(f"it does not start ({error.strerror})") from error
    finally:
        for end in (theirs, out, *ends):
            os.close(end)
