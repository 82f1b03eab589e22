"""What tests of `uqmbd view` share: asking its application as a browser does, and a study that takes its time."""

import asyncio
import re

import httpx

from uqmbd.web.app import application
from uqmbd.web.guard import Keys

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"
SLOW = """
import os, time
def f(k, c):
    quick = os.path.exists(os.environ.get("QUICK", "nowhere"))
    time.sleep(0.0 if quick else float(os.environ.get("SECONDS_OF_A_RUN", 0.05)))
    return {"y": k * c}
"""
CHANGES = (("model.py:oscillator", "model.py:f"), ('["x", "peak", "x:rms"]', '["y"]'), ("[time]\nend = 2.0\npoints = 21\n", ""))


class Asker:
    """Asks the application of a folder of results, with the token unless said."""

    def __init__(self, results, studies):
        self.keys = Keys(PORT)
        self.app, self.shelf = application(results, studies, self.keys)

    def get(self, address, *, cookie=True, **headers):
        return self.ask("GET", address, cookie=cookie, headers=headers)

    def post(self, address, *, cookie=True, token=None, origin=HERE, **form):
        headers = {} if origin is None else {"Origin": origin}
        data = {"token": self.keys.form if token is None else token, **form}
        return self.ask("POST", address, cookie=cookie, headers=headers, data=data)

    def ask(self, method, address, *, cookie=True, headers, data=None):
        cookies = {self.keys.cookie: self.keys.token} if cookie is True else {self.keys.cookie: cookie} if cookie else {}

        async def asked():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url=HERE, cookies=cookies) as client:
                return await client.request(method, address, headers=headers, data=data)

        return asyncio.run(asked())


def words(answer) -> str:
    """The text of a page, without its marks."""
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())
