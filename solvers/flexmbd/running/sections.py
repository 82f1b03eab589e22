"""Arrays that points on sections are written into while samples run, and what is in them afterwards."""

from dataclasses import replace

import numpy as np

from flexmbd.outputs.sections import SectionPoints
from flexmbd.stepping import names
from flexmbd.stepping.sections import COLUMNS, EVERY, FOUND, FROM, INDEX, LEVEL, SIGNAL


class Sections:
    """Sections of the samples of an `Integration` that is about to run.

    Parameters
    ----------
    made : Integration
        Its states are those that the samples begin with; what is counted of sections begins there.
    asked : dict name -> PoincareSection, optional
    """

    def __init__(self, made, asked=None):
        self.made, self.asked, self._places, self._points = made, asked or {}, [], np.empty(0)
        requests, first = made.model.requests, 0
        for name, section in self.asked.items():
            kind, _, of = requests.sections[name]
            wide = 1 + len(of) * (1 + (kind == names.IMPACT))
            begin = made.column(names.START)[:, 0]
            most = section.room(made.end - begin)
            self._places.append((first, most, wide))
            first += made.count * most * wide
        self._points = np.full(max(1, first), np.nan)

    def arrays(self, grid_rows):
        """What entries of the table point to, and the states as the samples begin; `grid_rows` as of `names.GRID_ROWS`."""
        if not self.asked:
            return {}
        table, which, all_names = [], [], self.made.model.requests.names
        for k, name in enumerate(self.asked):
            kind, signal, of = self.made.model.requests.sections[name]
            first, most, wide = self._places[k]
            table.append([kind, all_names.index(signal) if signal else 0, most, first, wide, len(which), len(of)])
            which += [all_names.index(out) for out in of]
            self._begin(k, name)
        assert len(table[0]) == COLUMNS
        return {
            names.SECTION_TABLE: np.array(table, np.int64), names.SECTION_SIGNALS: np.array(which, np.int64),
            names.SECTION_POINTS: self._points, names.SECTION_ROOM: np.zeros((self.made.model.width, grid_rows)),
        }  # fmt: skip

    def _begin(self, k, name):
        """Numbers of a section in the states, and of impacts the values before the first one."""
        made, section = self.made, self.asked[name]
        kind, signal, of = made.model.requests.sections[name]
        rows, all_names = self._rows(k), made.model.requests.names
        first = made.column(names.START)[:, 0]
        rows[:, [FROM, EVERY, LEVEL]] = section.numbers(made.count)
        rows[:, FROM] += first
        rows[:, [FOUND, INDEX]] = 0.0
        sizes = made.model.layout.sizes
        signals = made.column(sizes["STATE_ROWS"] + sizes["Y0"] - sizes["SUMS"], sizes["NS"])
        if signal:
            rows[:, SIGNAL] = signals[:, all_names.index(signal)]
        if kind == names.IMPACT and self._places[k][1]:
            self._of(k)[:, 0, 1 + len(of) :] = signals[:, [all_names.index(out) for out in of]]

    def _rows(self, k):
        """Rows of a section in the states, (samples, rows)."""
        sizes = self.made.model.layout.sizes
        return self.made.column(sizes["STATE_ROWS"] + sizes["SECTIONS"] - sizes["SUMS"] + names.SECTION_ROWS * k, names.SECTION_ROWS)

    def _of(self, k):
        """Points of a section, (samples, room, numbers of a point)."""
        first, most, wide = self._places[k]
        return self._points[first : first + self.made.count * most * wide].reshape(self.made.count, most, wide)

    def said(self, ok):
        """Sentences on samples in `ok` (samples,) that never met a section, or met it more often than there is room for, by attribute."""
        told = {}
        for k, name in enumerate(self.asked):
            counts, most = self._rows(k)[ok, FOUND], self._places[k][1]
            if never := int(np.count_nonzero(counts == 0)):
                told[f"{name}.never"] = f"in {never} of {len(counts)} runs the section was never met"
            if more := int(np.count_nonzero(counts > most)):
                told[f"{name}.more"] = f"in {more} of {len(counts)} runs there are more points than most = {most}; the first are kept"
        return told

    def found(self, good, count):
        """`SectionPoints` by name, of the samples numbered `good` of so many; others have none."""
        found = {}
        for k, name in enumerate(self.asked):
            of, points = self.made.model.requests.sections[name][2], self._of(k)
            counts = self._rows(k)[:, FOUND].astype(int)
            longest = min(counts.max(initial=0), points.shape[1])
            behind = np.arange(longest) >= counts[:, None]
            full = np.full((count, longest, points.shape[2]), np.nan)
            full[good] = np.where(behind[:, :, None], np.nan, points[:, :longest])
            every = np.zeros(count, int)
            every[good] = counts
            values = {out: full[:, :, 1 + i] for i, out in enumerate(of)}
            before = {out: full[:, :, 1 + len(of) + i] for i, out in enumerate(of)} if points.shape[2] > 1 + len(of) else {}
            found[name] = SectionPoints(full[:, :, 0], values, every, before)
        return found


def none_of(section, count):
    """`SectionPoints` of samples none of which has one."""
    return SectionPoints(np.empty((count, 0)), {name: np.empty((count, 0)) for name in section.of}, np.zeros(count, int))


def of_samples(sections, good, count):
    """Sections with the numbers of the samples `good` among so many."""
    found = {}
    for name, section in (sections or {}).items():
        many = {key: getattr(section, key) for key in ("after", "every", "level") if np.ndim(getattr(section, key))}
        if many:
            section.numbers(count)  # refuses others than one a sample
        found[name] = replace(section, **{key: value[good] for key, value in many.items()}) if many else section
    return found


def first_numbers(sections):
    """Sections with the numbers of the first sample."""
    found = {}
    for name, section in (sections or {}).items():
        many = {key: getattr(section, key)[:1] for key in ("after", "every", "level") if np.ndim(getattr(section, key))}
        found[name] = replace(section, **many) if many else section
    return found


__all__ = ["Sections", "first_numbers", "none_of", "of_samples"]
