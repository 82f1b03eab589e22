"""`show` and `Viewer`: a trajectory as a page."""

import sys
import tempfile
import webbrowser
from html import escape
from pathlib import Path

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.viewer.motion import motion_of
from flexmbd.viewer.page import written
from flexmbd.viewer.scene import Scene
from flexmbd.viewer.still import lines_of, still

MOST_RUNS = 8


def show(trajectory, path=None, *, browser=True, **options):
    """Show a motion: in a browser, or, as the last value of a notebook's cell, below it; or write a picture or a film of it.

    Parameters
    ----------
    trajectory : Trajectory
        Of a run with ``poses=True``.
    path : path-like, optional
        Where the page is written; a temporary file if left out. A path that ends in .png, .gif or .mp4 is a picture or a film.
    browser : bool
        False does not open the page; pictures are not opened.
    options
        Of `Viewer`: `samples`, `beside`, `trails`, `forces`, `play`, `title`, `view`; of pictures also those of `Viewer.to_picture`.

    Returns
    -------
    Viewer
        Its `path` is where the page or picture is, if one was written.

    Raises
    ------
    ModelError
        If the run has kept no poses, an option is wrong, or there is no browser for a picture.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.run(s, end=0.2, points=5, outputs=["rod.y"], poses=True)
    >>> page = fm.show(found, "pendulum.html", browser=False)
    """
    pictured = {key: options.pop(key) for key in ("time", "seconds", "fps", "size", "dark", "scale") if key in options}
    viewer = Viewer(trajectory, **options)
    if path is not None and Path(path).suffix.lower() in (".png", ".gif", ".mp4"):
        viewer.to_picture(path, **pictured)
        return viewer
    if pictured:
        raise ModelError(f"{', '.join(pictured)}: of pictures and films only", remedy="leave it out, or end the path in .png, .gif or .mp4")
    if path is None and _in_notebook():
        return viewer
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="flexmbd-")) / "motion.html"
    viewer.to_html(path)
    if browser:
        webbrowser.open(viewer.path.as_uri())
    return viewer


class Viewer:
    """A trajectory as a page of its own: bodies, joints, forces and trails, moving.

    Parameters
    ----------
    trajectory : Trajectory
        Of a run with ``poses=True``.
    samples : int or sequence of int, optional
        Of a batch: which are shown, the first solid and others as ghosts; the first that has moved if left out.
    beside : bool
        Samples beside each other, all solid.
    trails : sequence of str
        Where ``"body"`` or ``"body.point"`` was until now.
    forces : sequence of str, optional
        Joints and contacts whose forces are drawn, by outputs ``name.fx`` ...; left out, all of which the run has them.
    play : float, optional
        By how much clearances are drawn larger; a round number of its own if left out. The page says it.
    title : str, optional
    view : dict, optional
        From where it is seen at first: ``zoom`` (1 shows all), and in space ``azimuth`` and ``elevation`` of the eye (rad, from the x axis
        about the upward one, and above the level), ``section``: axis and place of a plane that cuts it, such as ``("y", 0.1)`` (m).

    Attributes
    ----------
    path : pathlib.Path or None
        Where the page or picture was written last.
    scene : Scene
        What is drawn; its `notes` are the sentences below the picture, its `play` the factor of clearances.

    Raises
    ------
    ModelError
        If the run has kept no poses, or an option is wrong.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.run(s, end=0.2, points=5, outputs=["rod.y"], poses=True)
    >>> view = fm.Viewer(found, title="A pendulum")
    >>> view.title
    'A pendulum'
    """

    def __init__(self, trajectory, *, samples=None, beside=False, trails=(), forces=None, play=None, title=None, view=None):
        if play is not None and not (isinstance(play, (int, float)) and 0.0 < play < np.inf):
            raise ModelError(f"play is {play!r}", remedy="give the factor by which clearances are drawn larger, a number above zero")
        for key, value in (("trails", trails), ("forces", forces)):
            if isinstance(value, str) or not all(isinstance(x, str) for x in value or ()):
                raise ModelError(f"{key} is {value!r}", remedy=f"give a list of names, such as {key}=['rod']")
        runs, labels = _chosen(trajectory, samples)
        motions = [motion_of(run, label) for run, label in zip(runs, labels, strict=True)]
        self.path, self.title = None, title or "motion"
        self.scene = Scene(motions, labels, trails, forces, play)
        self._labels, self._beside, self._of = labels, bool(beside), np.size(trajectory.status)
        self.data = self.scene.data() | {"beside": self._beside, "view": _view(view or {}, self.scene.planar)}
        wide = 1.15 * (self.scene.high[0] - self.scene.low[0]) or self.scene.size
        for k, run in enumerate(self.data["runs"]):
            run["shift"] = [k * wide if self._beside else 0.0, 0.0, 0.0]
        if self._beside:
            self.data["high"][0] += (len(runs) - 1) * wide

    def to_html(self, path=None, *, playing=True):
        """The page's text; written to a file too, if a path is given.

        Parameters
        ----------
        path : path-like, optional
        playing : bool
            Whether it moves as soon as it is open (not for readers whose system asks for less motion).

        Raises
        ------
        ModelError
            If the file cannot be written.
        """
        data, scene = self.data | {"playing": playing}, self.scene
        svg = still(scene.motions[0], lines_of(scene, data["runs"][0]), scene.planar, scene.low, scene.high)
        described = f"Motion of {len(scene.names) - 1} bodies from {data['start']:g} s to {data['end']:g} s"
        text = written(data, title=self.title, described=described, says=self._says(), still=svg)
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8")
            except OSError as error:
                raise ModelError(f"the page cannot be written to '{path}': {error.strerror}", remedy="give another path") from error
            self.path = Path(path).absolute()
        return text

    def to_picture(self, path, *, time=None, seconds=None, fps=None, size=(960, 540), dark=False, scale=1):
        """Write a picture (.png) or a film (.gif, .mp4), by the end of the path: what the page shows, taken in a browser without a window.

        It needs chromium or Chrome on PATH, and an MP4 ffmpeg or the package imageio-ffmpeg.

        Parameters
        ----------
        path : path-like
        time : float, optional
            Of a picture, s; the start if left out.
        seconds : float, optional
            How long a film is, s; left out, as long as the motion if that is from 2 to 20 s, else 6 s. It says how much slower it is.
        fps : float, optional
            Pictures a second of a film, 25 if left out.
        size : (int, int)
            Width and height in pixels; of an MP4 even.
        dark : bool
        scale : int
            2 gives a file of twice as many pixels each way, in which lines and words are as large as before: for print.

        Raises
        ------
        ModelError
            If an option is wrong, a program is missing, or the file cannot be written.
        """
        from flexmbd.viewer.filming import filmed

        self.path = filmed(self, path, time=time, seconds=seconds, fps=fps, size=size, dark=dark, scale=scale)

    def _says(self):
        """Lines over the picture: which runs, clearances drawn larger, runs that ended early."""
        found = []
        if self._of > 1:
            first, *others = self._labels
            more = f"; {', '.join(others)} {'beside it' if self._beside else 'as ghosts'}" if others else f" of {self._of}"
            found.append(f"{first}{more}")
        if self.scene.play != 1.0:
            names = [x["name"] for marks in self.scene.marks[:1] for x in (*marks.bearings, *marks.guides)]
            found.append(f"clearance of {', '.join(map(repr, names))} drawn {self.scene.play:g} times larger")
        return found + [motion.told for motion in self.scene.motions if motion.told]

    def _repr_html_(self):
        page = escape(self.to_html(playing=False), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 520px; border: 0" title="{escape(self.title)}"></iframe>'

    def __repr__(self):
        where = f", {self.path} ({self.path.stat().st_size / 1e6:.2g} MB)" if self.path and self.path.is_file() else ""
        count = len(self.scene.names) - 1
        return f"Viewer: {', '.join(self._labels)}, {count} bod{'y' if count == 1 else 'ies'}{where}"


def _view(view, planar):
    """What is said of the eye, checked."""
    known = ("zoom",) if planar else ("zoom", "azimuth", "elevation", "section")
    wrong = [key for key in view if key not in known] if isinstance(view, dict) else ["it"]
    if wrong:
        where = "in the plane" if planar else "in space"
        raise ModelError(f"view is {view!r}", remedy=f"give a dict with some of {', '.join(map(repr, known))}, which are those {where}")
    for key, value in view.items():
        cut = key == "section" and isinstance(value, (tuple, list)) and len(value) == 2 and value[0] in tuple("xyz")
        number = value[1] if cut else value
        fits = isinstance(number, (int, float)) and np.isfinite(number) and (key != "zoom" or number > 0.0) and (key != "section" or cut)
        if not fits:
            needed = {"zoom": "a number above zero", "section": "an axis and a place in m, such as ('y', 0.1)"}.get(key, "an angle in rad")
            raise ModelError(f"view: {key} is {value!r}", remedy=f"give {needed}")
    return view


def _chosen(trajectory, samples):
    """Runs to be shown, without axis of samples, and what they are called."""
    if np.ndim(trajectory.status) == 0:
        if samples not in (None, 0):
            raise ModelError(f"samples is {samples!r}, but the trajectory is of one run", remedy="leave samples out")
        return [trajectory], ["the run"]
    count = len(trajectory.status)
    if samples is None:
        samples = [int(np.argmin(trajectory.status != 0))]
    wanted = [samples] if isinstance(samples, (int, np.integer)) and not isinstance(samples, bool) else samples
    listed = isinstance(wanted, (list, tuple, np.ndarray)) and len(wanted) > 0
    if not listed or not all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) and 0 <= x < count for x in wanted):
        raise ModelError(f"samples is {samples!r}", remedy=f"give numbers of runs from 0 to {count - 1}")
    if len(wanted) > MOST_RUNS:
        raise ModelError(f"samples has {len(wanted)} runs", remedy=f"give at most {MOST_RUNS}")
    return [trajectory.of_sample(int(i)) for i in wanted], [f"sample {i}" for i in wanted]


def _in_notebook():
    """True where IPython runs as a kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")
