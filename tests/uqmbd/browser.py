"""A page in headless chromium, driven through its DevTools protocol: scripts, a dragged mouse, screenshots."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

QUIET = "--disable-gpu --enable-unsafe-swiftshader --no-first-run --disable-background-networking --disable-component-update --disable-sync"
PATIENCE = 30.0  # s


class Browser:
    """Context: ``async with Browser(folder) as page``; `folder` keeps its profile, `switches` are of chromium."""

    def __init__(self, folder: Path, *switches: str) -> None:
        self.folder, self._asked, self._switches = folder, 0, switches

    async def __aenter__(self) -> Browser:
        from tornado.httpclient import AsyncHTTPClient
        from tornado.websocket import websocket_connect

        command = ["chromium", "--headless", "--no-sandbox", *QUIET.split(), "--remote-debugging-port=0", f"--user-data-dir={self.folder}"]
        command += self._switches
        nothing = subprocess.DEVNULL
        self._process = subprocess.Popen([*command, "about:blank"], stdin=nothing, stdout=nothing, stderr=nothing)
        try:
            said = self.folder / "DevToolsActivePort"
            await self._until(lambda: said.is_file() and said.read_text().count("\n"))
            answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{said.read_text().split()[0]}/json")
            address = next(one["webSocketDebuggerUrl"] for one in json.loads(answer.body) if one["type"] == "page")
            self._socket = await websocket_connect(address, max_message_size=100_000_000)
        except BaseException:
            self._process.kill()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol, and its answer."""
        self._asked += 1
        await self._socket.write_message(json.dumps({"id": self._asked, "method": method, "params": params}))
        while (answer := json.loads(await self._socket.read_message())).get("id") != self._asked:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    async def run(self, script: str) -> Any:
        """What a script in the page returns."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def open(self, page: Path, ready: str, *, width: int = 1000, height: int = 900) -> None:
        """Go to a page and wait until the script `ready` is true."""
        await self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        await self.ask("Page.navigate", url=page.as_uri())
        await self.wait_for(ready)

    async def wait_for(self, script: str) -> None:
        """Until the script is true."""
        for _ in range(int(PATIENCE / 0.05)):
            if await self.run(script):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at one place of the window, move to another, let go."""
        held = {"button": "left", "clickCount": 1}
        await self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        await self.ask("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **held)
        for share in (0.1, 0.4, 0.8, 1.0):
            x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
            await self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        await self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **held)

    async def picture(self) -> np.ndarray:
        """What the window shows, (height, width, 3)."""
        from PIL import Image

        shot = await self.ask("Page.captureScreenshot")
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB"), float)

    async def _until(self, done: Any) -> None:
        for _ in range(int(PATIENCE / 0.02)):
            if done():
                return
            await asyncio.sleep(0.02)
        raise AssertionError("chromium did not start")
