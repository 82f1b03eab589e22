"""The page of several methods of one study: what each answers, a figure of all, and what they say of the outputs."""

import base64
import io
from dataclasses import dataclass
from pathlib import Path

from uqmbd.figures.colors import DARK, LIGHT
from uqmbd.figures.key import key_output
from uqmbd.figures.marks import look
from uqmbd.report.answers import question_of
from uqmbd.report.judged import Judged
from uqmbd.report.pages import rendered, replaced, sentence
from uqmbd.report.summary import summary_of
from uqmbd.report.terminal import DETAILS
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import Scale, bracketed
from uqmbd.tables.outputs import axis_label, chosen, output_names
from uqmbd.tables.rows import band, row
from uqmbd.tables.scaling import scale_of
from uqmbd.tables.text import Table, by_statistic

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"  # nothing runs, nothing is fetched
PANELS = 6  # outputs in the figure
DPI = 110
BANDS = {"bounds": "bounds", "quantiles": "5 % to 95 %", "runs": "runs"}
LINES = ("-", "--", ":")  # bands of methods often lie on each other


@dataclass(frozen=True)
class Page:
    """What the page says of one method: its short answer, whether that is trusted, and all the rest in words."""

    answer: tuple[str, ...]
    judged: Judged | None
    full: str


@dataclass(frozen=True)
class Picture:
    """A figure as PNG files in base 64, for light and for dark pages, and its words."""

    light: str
    dark: str
    alt: str


def write_page_of_several(results, directory: Path) -> Path:
    """Write ``report.html``; see `uqmbd.report.write_overview`."""
    first = next(iter(results.values()))
    text = rendered(
        "several.html.j2",
        title=first.facts.title or results.name,
        question=question_of(first, key_output(first)),
        policy=POLICY,
        pages={label: in_words(result) for label, result in results.items()},
        picture=picture(results),
        table=outputs_by_method(results),
    )
    return replaced(directory / "report.html", text)


def in_words(result: ResultData) -> Page:
    """What a method answers, its runs, and what is to be known of it."""
    facts, lead = result.facts, summary_of(result, {})
    failed = f", {facts.runs_failed:,} failed" if facts.runs_failed else ""
    words = [f"{facts.method}, {facts.runs or 0:,} runs{failed}.", *lead.sentences, *map(sentence, facts.notes)]
    return Page(lead.answer, lead.judged, " ".join(words))


def outputs_by_method(results) -> Table:
    """The outputs, a row for each method, with the units and digits of the methods' own pages."""
    scales = one_scale(results)
    tables = {label: by_statistic(result, _names(result), scales) for label, result in results.items()}
    columns = dict.fromkeys(column for table in tables.values() for column in table.header if column not in ("output", "unit", *DETAILS))
    units = any("unit" in table.header for table in tables.values())
    rows: dict[str, list[tuple[str, ...]]] = {}
    for label, table in tables.items():
        name = ""
        for line in table.rows:
            cells = dict(zip(table.header, line, strict=True))
            name = cells["output"] or name
            unit = (cells.get("unit", ""),) if units else ()
            rows.setdefault(name, []).append((name, label, *unit, *(cells.get(column, "") for column in columns)))
    notes = list(dict.fromkeys(table.note for table in tables.values() if table.note))
    header = ("output", "method", *(("unit",) if units else ()), *columns)
    numeric = tuple(word not in ("output", "method", "unit", "statistic") for word in header)
    return Table("Outputs", header, tuple(row for some in rows.values() for row in some), numeric, notes[0] if len(notes) == 1 else "")


def one_scale(results) -> dict[str, Scale]:
    """Of each output the unit in which all methods say it: that of the method with the largest numbers."""
    scales: dict[str, Scale] = {}
    for result in results.values():
        for name in _names(result):
            own = scale_of(result, name)
            scales[name] = max(scales.get(name, own), own, key=lambda one: one.factor)
    return scales


def picture(results) -> Picture | None:
    """What the methods say of the first outputs, one beside the other; None where none says a range."""
    key = key_output(next(iter(results.values())))
    names: list[str] = list(dict.fromkeys([*([key] if key else []), *(name for result in results.values() for name in _names(result))]))
    bands = {name: {label: ends for label, result in results.items() if (ends := _band(result, name)) is not None} for name in names}
    shown = [name for name in names if bands[name]][:PANELS]
    if not shown:
        return None
    scales = one_scale(results)
    light, dark = (_drawn({name: bands[name] for name in shown}, scales, theme) for theme in (LIGHT, DARK))
    words = "its bounds, the values from 5 % to 95 %, or the range of its runs"
    return Picture(light, dark, f"What each method says of {', '.join(shown)}: {words}.")


def _drawn(bands, scales, theme) -> str:
    from matplotlib.figure import Figure

    from uqmbd.figures.matplotlib_view import paint

    heights = [_height(each) for each in bands.values()]
    figure = Figure(figsize=(7.2, sum(heights)), layout="constrained", facecolor=theme["paper"])
    panels = figure.subplots(len(bands), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (name, each) in zip(panels, bands.items(), strict=True):
        _draw(axes, name, each, scales.get(name, Scale()), theme)
        axes.grid(True, axis="x", color=theme["grid"], linewidth=0.7)
        paint(axes, theme)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    return base64.b64encode(buffer.getvalue()).decode()


def _names(result: ResultData) -> list[str]:
    return [name for names in output_names(result) for name in chosen(result, names)]


def _height(bands) -> float:
    """Inches of a panel: a history has a fixed height, numbers a line for each method."""
    return 2.6 if any(grid is not None for *_, grid in bands.values()) else 0.75 + 0.3 * len(bands)


def _band(result: ResultData, name: str):
    """Lower and upper end of what a method says of an output, what they are, and its axis as an array; None if it says no range."""
    ends = band(row(dict(result.groups()), name), imprecise=True)
    if ends is None:
        return None
    lower, upper, what = ends
    key = {"bounds": "bounds", "quantiles": "statistics", "runs": "inner"}[what]
    axis = result.axis_of(name, key)
    return lower, upper, BANDS[what], None if axis is None else result[key][name][axis]


def _draw(axes, name: str, bands, within: Scale, theme) -> None:
    """One panel: a line for each method, or its band over the axis; in the unit that tables have."""
    grid = next((grid for *_, grid in bands.values() if grid is not None), None)
    for k, (label, (*ends, what, over)) in enumerate(bands.items()):
        lower, upper = map(within.of, ends)
        if over is None:
            axes.plot([lower, upper], [k, k], "|-", color=theme[look(k).color], linewidth=3, markersize=10)
        else:
            color = theme[look(k).color]
            filled = dict(facecolor=(color, 0.12), edgecolor=color, linewidth=1.2, linestyle=LINES[k % len(LINES)])
            axes.fill_between(over.values, lower, upper, label=f"{label}: {what}", **filled)
    said = name + bracketed(within.unit)
    if grid is None:
        axes.set_yticks(range(len(bands)), [f"{label}: {what}" for label, (_, _, what, _) in bands.items()])
        axes.set_ylim(len(bands) - 0.5, -0.5)
        axes.set_xlabel(said)
    else:
        axes.set_xlabel(axis_label(grid, str(grid.name)))
        axes.set_ylabel(said)
        axes.legend(fontsize="small", facecolor=theme["back"], edgecolor=theme["line"], labelcolor=theme["ink"])
