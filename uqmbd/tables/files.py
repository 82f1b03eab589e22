"""Tables as files: CSV with all digits, and LaTeX in the style of the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.runs.files import safe_names
from uqmbd.tables.frames import Frame
from uqmbd.tables.numbers import bracketed
from uqmbd.tables.outputs import pretty

ROWS = 40  # of a printed table; longer ones are thinned evenly
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "·": r"\textperiodcentered{}", "µ": r"\textmu{}", "μ": r"\textmu{}",
    "°": r"\textdegree{}", "…": r"\ldots{}", "×": r"$\times$", "α": r"$\alpha$", "σ": r"$\sigma$", "Ω": r"$\Omega$",
}  # fmt: skip


def write_tables(folder: Path, frames: Iterable[Frame]) -> None:
    """Write ``*.csv`` and ``*.tex`` of each table into a new folder."""
    folder.mkdir()
    frames = list(frames)
    names = safe_names(frame.key for frame in frames)
    for frame in frames:
        frame.table.to_csv(folder / f"{names[frame.key]}.csv")
        if len(frame.table):
            (folder / f"{names[frame.key]}.tex").write_text(latex(frame), encoding="utf-8")


def escape(text: str) -> str:
    """Text in which no character means anything to LaTeX."""
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def latex(frame: Frame) -> str:
    """A table environment that can be read into a document that uses booktabs: caption, units in the head, rules, numbers.

    Long tables are thinned to `ROWS` rows, evenly spread, and the caption says so; the CSV file has them all.
    """
    table, caption = frame.table, frame.caption
    if len(table) > ROWS:
        table = table.iloc[np.unique(np.linspace(0, len(table) - 1, ROWS).round().astype(int))]
        caption += f" ({len(table)} of {len(frame.table)} rows)"
    names = [str(table.index.name or ""), *map(str, table.columns)]
    head = " & ".join(escape(_words(name)) + bracketed(escape(pretty(frame.units.get(name)))) for name in names)
    kinds = "".join("r" if column.dtype.kind in "fiu" else "l" for column in (table.index, *(column for _, column in table.items())))
    body = [" & ".join(map(_cell, entry)) + r" \\" for entry in table.itertuples(name=None)]
    label = re.sub(r"[^A-Za-z0-9:.-]+", "-", frame.key)
    lines = [
        r"% \usepackage{booktabs}", r"\begin{table}", r"\centering", rf"\caption{{{escape(caption)}}}",
        rf"\label{{tab:{label}}}", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule",
        head + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _words(name: str) -> str:
    return name.replace("_", " ") if re.fullmatch(r"[a-z0-9_]+(\.\d+)?", name) else name


def _cell(value: Any) -> str:
    """A number with six digits, powers of ten as LaTeX writes them; yes and no; other things escaped."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if not isinstance(value, (float, np.floating)):
        return escape(str(value))
    if np.isnan(value):
        return "--"
    if np.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    mantissa, _, exponent = f"{value:.6g}".partition("e")
    power = rf" \cdot 10^{{{int(exponent)}}}" if exponent else ""
    return f"${mantissa}{power}$" if power or mantissa.startswith("-") else mantissa
