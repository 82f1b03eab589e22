"""`Trajectory`: what a batch of runs, or one run, gave."""

from dataclasses import dataclass, field, replace
from html import escape

import numpy as np

from flexmbd.errors import ModelError

OK, DIVERGED, TIMEOUT, ERROR = range(4)
STATUS = ("ok", "diverged", "timeout", "error")


@dataclass(frozen=True)
class Moved:
    """What a run kept of where a body was: numbers ([n,] points, `Body.pose_size`), and sizes, each a number or one a sample.

    `seats` has by their names what `Body.seat` says of its named points.
    """

    body: object
    numbers: np.ndarray
    offset: tuple = ()
    length: object = None
    seats: dict = field(default_factory=dict)

    def of_sample(self, i):
        """Of one run, without the axis of samples."""
        offset, length = (tuple(_of(x, i) for x in sizes) for sizes in (self.offset, (self.length,)))
        return Moved(self.body, self.numbers[i], offset, *length, {key: tuple(_of(x, i) for x in seat) for key, seat in self.seats.items()})


@dataclass(frozen=True)
class Joined:
    """What a run with poses kept of an element: where its ends are, and its numbers by key, each a number or one a sample.

    `ends` has by ``"a"`` and ``"b"`` the name of a body and the numbers of `Body.seat` there.
    """

    element: object
    ends: dict
    numbers: dict

    def of_sample(self, i):
        """Of one run."""
        ends = {key: (body, tuple(_of(x, i) for x in seat)) for key, (body, seat) in self.ends.items()}
        return Joined(self.element, ends, {key: _of(x, i) for key, x in self.numbers.items()})


def _of(value, i):
    """The number of a sample."""
    return value[i] if np.ndim(value) else value


@dataclass(frozen=True, repr=False)
class Trajectory:
    """Outputs of n runs; of one run without the axis n. ``trajectory["slider.x"]`` is ``trajectory.outputs["slider.x"]``.

    Attributes
    ----------
    time : ndarray (points,)
    outputs : dict name -> ndarray (n, points) or (n,)
        NaN where a run failed: histories from the failure on.
    units : dict name -> str
    status : ndarray (n,) int8
        0 ok, 1 diverged, 2 timeout, 3 error.
    message : list of str
        A sentence for each failed run, else "".
    attributes : dict
        What was used: laws and their numbers, integrator, tolerances; ``solver.fixed_step`` and ``solver.order`` of schemes that keep to a
        step; ``<output>.percussion`` of what is, in an impact, a percussion by the length of a step, in words.
    statistics : dict name -> ndarray (n,)
        steps, rejected, events; energy.off and energy.scale (by how much the book of energy is open at the end, and the energy that is
        judged by, J); where they apply, ended (time of a stop, s) and energy_gained (by impacts, J).
    bodies : dict name -> Moved
        Bodies whose poses were asked for, and ground; ``bodies["rod"].body.shapes`` is what a viewer draws.
    elements : tuple of Joined
        Elements with points on these bodies.
    sections : dict name -> SectionPoints
        Points on the sections that were asked for.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.run(s, end=0.2, points=3, outputs=["rod.angle", "pin.force:max"])
    >>> found["rod.angle"].shape, found.units["pin.force:max"], int(found.status)
    ((3,), 'N', 0)
    """

    time: np.ndarray
    outputs: dict[str, np.ndarray]
    units: dict[str, str]
    status: np.ndarray
    message: list[str]
    attributes: dict
    statistics: dict = field(default_factory=dict)
    bodies: dict = field(default_factory=dict)
    elements: tuple = ()
    sections: dict = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.outputs[name]

    def of_sample(self, i):
        """One run of a batch, without the axis of samples."""
        outputs, statistics = ({name: x[i] for name, x in table.items()} for table in (self.outputs, self.statistics))
        bodies = {name: moved.of_sample(i) for name, moved in self.bodies.items()}
        sections = {name: points.of_sample(i) for name, points in self.sections.items()}
        elements, own = tuple(x.of_sample(i) for x in self.elements), {"outputs": outputs, "statistics": statistics, "bodies": bodies}
        return replace(self, status=self.status[i], message=self.message[i], elements=elements, sections=sections, **own)

    def poses(self, body):
        """Places and rotations of a rigid body, point mass or grains at all times, a `Poses`; the run was asked for them by ``poses=True``.

        Raises
        ------
        ModelError
            If the run has not kept them, or the body has no frame.
        """
        moved = self._moved(body)
        return moved.body.poses(moved)

    def centre_line(self, body, per_element=8):
        """The centre line of a cable or beam at all times, a `CentreLine`; `per_element` are samples of each element.

        Raises
        ------
        ModelError
            If the run has not kept it, or the body is neither.
        """
        if isinstance(per_element, bool) or not isinstance(per_element, (int, np.integer)) or per_element < 1:
            raise ModelError(f"centre line of '{body}': per_element is {per_element!r}", remedy="it must be a whole number from 1")
        moved = self._moved(body)
        return moved.body.centre_line(moved, int(per_element))

    def places(self, body):
        """Places at all times of grains, or of the named points of a body that has neither frame nor centre line (of given matrices, say).

        Returns
        -------
        dict str -> ndarray ([n,] points, 3)
            By name of the point, or number of the grain (``"1"``); m.

        Raises
        ------
        ModelError
            If the run has not kept them, or the body is shown in another way.
        """
        moved = self._moved(body)
        return moved.body.places_of(moved)

    def to_html(self, path=None, **options):
        """The motion as a page that any browser shows, without a network; options are those of `flexmbd.show`.

        Parameters
        ----------
        path : path-like, optional
            Write it there.

        Returns
        -------
        str
            The page's text.

        Raises
        ------
        ModelError
            If the run has kept no poses, or an option is wrong.
        """
        from flexmbd.viewer import Viewer

        return Viewer(self, **options).to_html(path)

    def _moved(self, name):
        if name not in self.bodies:
            own = f"; it has those of {', '.join(map(repr, self.bodies))}" if self.bodies else ""
            raise ModelError(f"the run has not kept poses of '{name}'{own}", remedy=f"run it with poses=True, or with poses=['{name}']")
        return self.bodies[name]

    def to_xarray(self):
        """All outputs as an `xarray.Dataset`.

        Returns
        -------
        Dataset
            Dimensions ``sample`` (of a batch) and ``time`` (of histories); each output with its attribute ``unit``; ``status`` and
            ``message`` of each run; attributes: what was used.
        """
        import xarray as xr

        batch = () if np.ndim(self.status) == 0 else ("sample",)
        runs = {"status": (batch, np.asarray(self.status)), "message": (batch, np.asarray(self.message, object))}
        found = {}
        for name, values in self.outputs.items():
            dims = (*batch, "time") if np.ndim(values) > len(batch) else batch
            found[name] = (dims, values, {"unit": self.units.get(name, "")})
        return xr.Dataset(found | runs, {"time": ("time", self.time, {"unit": "s"})}, dict(self.attributes))

    def __repr__(self):
        head, rows = self._summary()
        return "\n".join([head, *(f"  {name} [{unit}]  {text}" for name, unit, text in rows)])

    def _repr_html_(self):
        head, rows = self._summary()
        cells = "".join(f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in rows)
        return f"<p>{escape(head)}</p><table>{cells}</table>"

    def _summary(self, most=12):
        """A line on all runs, and rows (name, unit, range) of the first outputs."""
        status = np.atleast_1d(self.status)
        counts = [f"{np.count_nonzero(status == k)} {word}" for k, word in enumerate(STATUS) if np.any(status == k)]
        runs = f"{len(status)} run{'s' * (len(status) != 1)} ({', '.join(counts)})"
        head = f"Trajectory: {runs}, {len(self.time)} times from {self.time[0]:g} to {self.time[-1]:g} s"
        rows = []
        for name, x in list(self.outputs.items())[:most]:
            known = np.asarray(x)[np.isfinite(x)]
            size = f"{np.shape(x)} " if np.ndim(x) else ""
            values = "nothing" if not known.size else f"{known.min():.6g}" if np.ndim(x) == 0 else f"{known.min():.6g} .. {known.max():.6g}"
            rows.append((name, self.units.get(name, ""), f"{size}{values}"))
        if len(self.outputs) > most:
            rows.append((f"... and {len(self.outputs) - most} more", "", ""))
        return head, rows
