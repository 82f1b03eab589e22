#!/usr/bin/env python
"""Pictures a second of a page of `fm.show` where there is no graphics card: 50 boxes in space, all turning, with a joint's mark each.

In headless chromium, whose WebGL is SwiftShader on the processor, in a window of 1000 x 700 pixels; over five seconds of play. Poses are
made up: what a picture costs does not depend on them. The page's own share (positions, instances) is in the notes.

Target: 20 a second. Prediction: 30 on one core that nobody else uses, of which the page's own script takes 3 ms a picture and the rest is
the filling of pixels. `ratio` is pictures a second over 20; at least 1.

    python benchmarks/viewer.py [--bodies 50] [--seconds 5]
"""

import argparse
import asyncio
import importlib.util
import os
import tempfile
from pathlib import Path

from _common import ROOT, report, short

TARGET = 20.0
READY = "document.documentElement?.dataset.drawn === 'webgl'"
SCRIPT = """(() => {
  const start = performance.now();
  for (let k = 0; k < 50; k++) { flexmbd.eye.look(); flexmbd.picture.draw(k / 50); }
  return (performance.now() - start) / 50;
})()"""


def tumbling(count, times=201):
    """A trajectory of so many boxes in space on circles, each pinned to ground by a joint that is drawn."""
    import numpy as np
    from scipy.spatial.transform import Rotation

    import flexmbd as fm
    from flexmbd.trajectory import Joined, Moved, Trajectory

    s, time, bodies, elements = fm.System(gravity=(0.0, 0.0, -9.81)), np.linspace(0.0, 5.0, times), {}, []
    for k in range(count):
        body = s.body(f"box{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), points={"A": (0.1, 0.0, 0.0)})
        body.show(fm.Box(size=(0.3, 0.15, 0.1)))
        angle = time * (1.0 + 0.05 * k)
        place = np.stack([np.cos(angle + k), np.sin(angle + k), np.full(times, 0.1 * k)], axis=1) * (1.0, 1.0, 0.5)
        axes = Rotation.from_rotvec(np.outer(angle, [0.3, 0.5, 1.0])).as_matrix()
        bodies[body.name] = Moved(body, np.hstack([place, np.swapaxes(axes, 1, 2).reshape(times, 9)]), (0.0,) * 3)
        pin = fm.Spherical(f"pin{k}", s.ground.at(0.0, 0.0, 0.0), body["A"])
        elements.append(Joined(pin, {"b": (body.name, (0.1, 0.0, 0.0))}, {}))
    bodies["ground"] = Moved(s.ground, np.zeros((times, 3)), (0.0,) * 3)
    return Trajectory(time, {}, {}, np.int8(0), "", {}, {}, bodies, tuple(elements))


def browser_of_tests():
    """The class of headless browsers that tests have."""
    specification = importlib.util.spec_from_file_location("browser", ROOT / "tests" / "uqmbd" / "browser.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.Browser


async def measured(page, seconds):
    """Pictures a second while it plays, and milliseconds of the page's script a picture."""
    async with browser_of_tests()(page.parent / "profile") as browser:
        await browser.open(page, READY, width=1000, height=700)
        await browser.run("flexmbd.player.play(true)")
        await asyncio.sleep(1.0)
        count = "[Number(document.documentElement.dataset.frames), performance.now()]"
        first, start = await browser.run(count)
        await asyncio.sleep(seconds)
        last, end = await browser.run(count)
        return 1e3 * (last - first) / (end - start), await browser.run(SCRIPT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        tumbling(arguments.bodies).to_html(page)
        pictures, own = asyncio.run(measured(page, arguments.seconds))
    load = f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    notes = f"{arguments.bodies} bodies; script {own:.2g} ms a picture; {load}"
    report("viewer", short(pictures / TARGET), 1.0, short(pictures), TARGET, "pictures a second", notes)


if __name__ == "__main__":
    main()
