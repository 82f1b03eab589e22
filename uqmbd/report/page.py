"""The page: figures and tables in one file that needs no network."""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path

from uqmbd import figures
from uqmbd.figures import samples
from uqmbd.figures.alt import alternative
from uqmbd.figures.marks import Figure
from uqmbd.figures.plugin_sections import left_out, plugin_tables
from uqmbd.method_facts import ReportFacts
from uqmbd.report import plotly_view
from uqmbd.report.estimates import chains_table, correlations_table, estimates_table, starts_table
from uqmbd.report.failures import failures_drivers, failures_table, failures_where
from uqmbd.report.indices import indices_tables, over_time_table
from uqmbd.report.motion import Motion, motion_block
from uqmbd.report.pages import asset, packed, rendered, replaced, sentence
from uqmbd.report.summary import summary_of
from uqmbd.report.tolerances import tolerances_tables
from uqmbd.result_data import ResultData
from uqmbd.runs.files import safe_names
from uqmbd.tables import text
from uqmbd.tables.about import about_tables, further_tables, runs_done
from uqmbd.tables.regions import regions_table
from uqmbd.tables.trust import percent

PICTURES = 24  # files: each takes a fifth of a second, and matplotlib half a one
# The browser itself refuses every address. Plotly writes style elements, and its scatter matrix makes functions from text.
POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"


def write_page(result: ResultData, directory, *, study_text: str = "", pictures: bool = True) -> Path:
    """Write ``report.html`` and ``figures/*.png``; the arguments are those of `uqmbd.report.write_report`."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    result = samples.read_once(result)
    sections = figures.sections(result)
    names = safe_names(figure.key for figure in chain.from_iterable(sections.values()))
    if pictures:
        draw_pictures(sections, names, directory / "figures")
    else:
        for old in (directory / "figures").glob("*.png"):
            old.unlink()
    return replaced(directory / "report.html", _render(result, sections, names, study_text, motion_block(result, names)))


def draw_pictures(sections: dict[str, list[Figure]], names: Mapping[str, str], folder: Path) -> None:
    """Draw the figures that become files."""
    from uqmbd.figures import matplotlib_view

    folder.mkdir(exist_ok=True)
    for figure in pictured(sections):
        matplotlib_view.save(figure, folder / f"{names[figure.key]}.png")


def pictured(sections: dict[str, list[Figure]]) -> list[Figure]:
    """The figures that become files: all, unless they are many; then the first of each section, then the second, and so on."""
    figures = [figure for some in zip_longest(*sections.values()) for figure in some if figure is not None]
    return figures[:PICTURES]


def _render(
    result: ResultData, sections: dict[str, list[Figure]], names: dict[str, str], study_text: str, motion: Motion | None = None
) -> str:
    lead = summary_of(result, sections)
    drawn = {
        title: [_drawn(figure, names[figure.key]) for figure in group if figure is not lead.figure] for title, group in sections.items()
    }
    warnings = _warnings(result)
    early, reason = set(map(sentence, result.facts_of(ReportFacts).warnings)), lead.judged.why if lead.judged else ""
    first = [note for note in warnings if note in early and not (reason and reason in note)]  # that reason is above them
    chosen = [name for names in figures.output_names(result) for name in figures.chosen(result, names)]
    tables = [
        estimates_table(result),
        correlations_table(result),
        chains_table(result),
        starts_table(result),
        *tolerances_tables(result),
        text.by_statistic(result),
        over_time_table(result, chosen),
        *indices_tables(result, chosen),
        text.worst_table(result),
    ]
    tables += [regions_table(result), *plugin_tables(result)]
    shown = [note for names in figures.output_names(result) if (note := text.only(figures.chosen(result, names), names))]
    return rendered(
        "page.html.j2",
        lead=lead,
        motion=motion,
        key=_drawn(lead.figure, names[lead.figure.key]) if lead.figure else None,
        script=asset("page.js"),
        policy=POLICY,
        plotly=packed_plotly(),
        cards=_cards(result),
        first=first,
        warnings=[note for note in warnings if note not in first],
        trust=text.trust_table(result),
        tables=[table for table in tables if table.rows],
        pictures=PICTURES if len(names) > PICTURES else 0,
        drawn=f"Figures show {shown[0]}" if shown else "",
        about=[table for table in about_tables(result) if table.rows],
        failures=failures_table(result),
        where=" ".join(filter(None, (failures_where(result), failures_drivers(result)))),
        further=[table for table in further_tables(result) if table.rows],
        sections={title: group for title, group in drawn.items() if group},
        study_text=study_text,
    )


def _drawn(figure: Figure, name: str) -> dict[str, object]:
    return {
        "id": name,
        "title": figure.title,
        "caption": figure.caption,
        "alt": alternative(figure),
        "height": int(plotly_view.height(figure)),
        "overview": figure.overview,
        "data": packed(plotly_view.script(figure)),
    }


@cache
def packed_plotly() -> str:
    """Plotly's script; packed it takes a third of its room."""
    spec = find_spec("plotly")  # the package's classes take long to import
    folder = Path(next(iter(spec.submodule_search_locations or ()) if spec else iter(())), "package_data")
    return packed((folder / "plotly.min.js").read_text(encoding="utf-8"))


def _cards(result: ResultData) -> list[tuple[str, str]]:
    """The few numbers a reader looks for first."""
    runs, wall = runs_done(result), result.facts.wall_time
    cards = [("runs", f"{runs:,}"), ("failed", f"{_failed(result):,}")]
    if wall is not None:
        cards.append(("wall time", f"{wall:.3g} s"))
    return cards


def _failed(result: ResultData) -> int:
    count = result.facts.runs_failed
    return int(samples.failed(result).sum()) if count is None else count


def _warnings(result: ResultData) -> list[str]:
    """Notes of the result, and how many runs failed: in the note that says what became of them, if there is one."""
    notes, said = list(result.facts.notes), result.facts.failures_note
    failed, runs = _failed(result), runs_done(result)
    if failed:
        at = notes.index(said) if said in notes else len(notes)
        note = said.rstrip(".") if said in notes else f"{failed} of {runs} runs failed"
        notes[at : at + 1] = [f"{note} ({percent(failed / runs)}); see Failures"]
    return [sentence(note) for note in (*notes, left_out(result)) if note]
