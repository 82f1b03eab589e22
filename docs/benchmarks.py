"""Write docs/benchmarks.md, what each benchmark measured beside its target, and its charts, from benchmarks/records.

python docs/benchmarks.py          write them
"""

import ast
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from charts import bars, curves, short  # noqa: E402

ROOT = HERE.parent
PAGE, PICTURES = HERE / "benchmarks.md", HERE / "images" / "benchmarks"
RECORDS, SCRIPTS = ROOT / "benchmarks" / "records", ROOT / "benchmarks"
HEAD = """# Measured

Written by `python docs/benchmarks.py` from `benchmarks/records`; do not edit. Each script in `benchmarks/` says in its docstring what it
predicts, measures it on the machine it runs on, and prints the result as one line of JSON; with `--record` that line is kept there, with
date, machine, load and commit, and the next call of `python docs/benchmarks.py` draws it. `make benchmarks` runs all. A figure is of the
latest record; where the load is not near zero, ratios within one run say more than times.

Results without load and commit are those of a table that was kept by hand: two cores of an AMD EPYC with AVX-512, Python 3.11, nothing else
running unless a line says so, on the day given.
"""
SECTIONS = {
    "Motion": (
        "work_precision taylor_peers clearance_crank_peers lanes flexible_peers trees trees_chain formulations symplectic_perturbation net "
        "direct_solvers"
    ),
    "Contact and oil": "nonsmooth contact_problems film_map film_direct lubricated_crank bifurcation spectrum exponents_peer",
    "Bounds and statistics": (
        "interval_runs search_functions search_cost untrusted_bounds bernstein_speed time_warping pce_history pce_sparse saltelli_stream "
        "million_indices long_histories"
    ),
    "Start, campaigns, pages": "startup start compile million montecarlo_100k many_asks kill_resume viewer manipulator",
}
AT_MOST = set(  # of which less is better; of all others the ratio is to be at least the target
    "bernstein_speed bifurcation compile film_direct film_map interval_runs many_asks montecarlo_100k pce_history "
    "pce_sparse saltelli_stream search_cost search_functions start startup time_warping trees_chain "
    "untrusted_bounds formulations work_precision".split()
)
TITLES = {"long_histories": "A history of a million times, in a study.", "manipulator": "The spatial manipulator, one core."}


def title(name: str) -> str:
    """The first paragraph of a script's docstring."""
    script = SCRIPTS / f"{name}.py"
    if not script.is_file():
        return TITLES[name]
    words = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    return " ".join(words.split())


def records(name: str) -> list[dict]:
    """Those of a script, in the order in which they were made."""
    path = RECORDS / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def charts(name: str) -> dict[str, str]:
    """SVG by file name, of the latest record that has something to draw."""
    for one in reversed(records(name)):
        notes = one["notes"] if isinstance(one.get("notes"), dict) else {}
        if notes.get("curves"):
            return {
                f"{name}_{k}.svg": curves(words, panel["series"], panel["across"], panel["up"])
                for k, (words, panel) in enumerate(notes["curves"].items())
            }
        if one.get("cases"):
            return {f"{name}.svg": bars(name, one["cases"], one.get("target"), one.get("unit", ""))}
        if "ratio" in one and one["ratio"] is not None:
            return {f"{name}.svg": bars(name, {"measured": one["ratio"]}, one["target"], "ratio")}
    return {}


def table(head: tuple[str, ...], rows: list[tuple]) -> str:
    """Markdown table."""
    cells = [tuple(str(cell).replace("|", "/") for cell in row) for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *cells])


def entry(name: str) -> str:
    """One benchmark."""
    parts = [f"### {name}", title(name)]
    for file, _ in charts(name).items():
        one = next(x for x in reversed(records(name)) if x.get("cases") or x.get("notes") or "ratio" in x)
        wanted = (
            ""
            if one.get("target") is None or name == "work_precision"
            else "; " + ("at most" if name in AT_MOST else "at least") + " the target"
        )
        parts.append(f"![{name}, {one['date']}{wanted}](images/benchmarks/{file})")
        if wanted:
            parts.append(f"Of {one['date']}; wanted is {wanted[2:]}.")
    said = [one for one in records(name) if "said" in one]
    if said:
        parts.append(table(("what", "result", "date"), [(one["what"], one["said"], one["date"]) for one in said]))
    rows = [one for one in records(name) if "ratio" in one]
    if rows:
        numbers = [
            (one["date"], *(number(one[key]) for key in ("ours", "theirs", "ratio", "target")), one["unit"], where(one)) for one in rows
        ]
        parts.append(table(("date", "ours", "theirs", "ratio", "target", "unit", "measured on"), numbers))
    if len(parts) == 2:
        parts.append("Not recorded yet.")
    command = f"`benchmarks/{name}.py`" if (SCRIPTS / f"{name}.py").is_file() else f"`{said[0]['command']}`"
    return "\n\n".join([*parts, f"Measured by {command}."]) + "\n"


def number(value: object) -> str:
    """Three digits; words for what is none."""
    return short(float(value)) if isinstance(value, int | float) and value == value else "–"


def where(one: dict) -> str:
    """Machine, load and sources of a record."""
    return f"{one['machine']}, load {one['load']}, {one['commit']}"


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for heading, names in SECTIONS.items():
        parts += [f"## {heading}\n", *map(entry, names.split())]
    return "\n".join(parts).rstrip() + "\n"


def pictures() -> dict[str, str]:
    """All charts by file name."""
    return {file: svg for names in SECTIONS.values() for name in names.split() for file, svg in charts(name).items()}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    for file, svg in pictures().items():
        (PICTURES / file).write_text(svg, encoding="utf-8")
