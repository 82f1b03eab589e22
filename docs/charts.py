"""Charts of a benchmark as SVG, the same bytes on every machine: bars beside a target, and curves in logarithms."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH = 720
INK, FAINT, BAR, MARK = "#1f2933", "#d3d9e0", "#2563a8", "#c2410c"
COLOURS = ("#2563a8", "#c2410c", "#2f855a", "#7b3fa0", "#b7791f", "#0e7490", "#be185d", "#4b5563", "#84580a", "#1e3a8a")


def short(value: float) -> str:
    """A number of three digits."""
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    digits = f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def text(x: float, y: float, words: str, anchor: str = "start", fill: str = INK, size: int = 13) -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" font-size="{size}">{escape(words)}</text>'


def line(x0: float, y0: float, x1: float, y1: float, stroke: str = FAINT, width: float = 1.0, dash: str = "") -> str:
    """A straight line."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{stroke}" stroke-width="{width}"{dashed}/>'


def svg(height: float, title: str, parts: Sequence[str]) -> str:
    """A picture on white."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif" role="img">'
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" rx="6" fill="#fff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>\n"])


def bars(title: str, cases: Mapping[str, float], target: float | None, unit: str) -> str:
    """A bar a case, in logarithms where they differ widely, and the target as a dashed line."""
    left, right, top, row = 262.0, WIDTH - 90.0, 18.0, 26.0
    values = [*cases.values(), *([] if target is None else [target])]
    positive = [value for value in values if value > 0]
    wide = max(positive) / min(positive) > 30
    low = 10 ** math.floor(math.log10(min(positive)) - 0.3) if wide else 0.0
    high = max(positive)

    def place(value: float) -> float:
        share = math.log(max(value, low) / low) / math.log(high / low) if wide else value / high
        return left + share * (right - left)

    parts, bottom = [], top + row * len(cases)
    for k, (name, value) in enumerate(cases.items()):
        y = top + k * row
        parts.append(text(left - 8, y + 17, name, "end"))
        parts.append(
            f'<rect x="{left:.1f}" y="{y + 4:.1f}" width="{max(1.0, place(value) - left):.1f}" height="{row - 8:.0f}" fill="{BAR}"/>'
        )
        parts.append(text(place(value) + 5, y + 17, short(value)))
    if target is not None:
        x = place(target)
        parts += [line(x, top - 4, x, bottom + 4, MARK, 2.0, "6 4"), text(x, bottom + 20, f"target {short(target)}", "middle", MARK)]
    words = f"{unit}, logarithmic" if wide else unit
    return svg(bottom + 44, title, [*parts, text(left, bottom + 38, words, fill="#4b5563", size=12)])


def decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around positive values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)


def curves(title: str, series: Mapping[str, Sequence[Sequence[float]]], across: str, up: str) -> str:
    """Curves of (x, y), both axes in logarithms, with their names beside them."""
    series = {name: sorted(p for p in points if p[0] > 0 and p[1] > 0) for name, points in series.items()}
    series = {name: points for name, points in series.items() if points}
    x0, x1 = decades([p[0] for points in series.values() for p in points])
    y0, y1 = decades([p[1] for points in series.values() for p in points])
    x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)
    left, right, top, bottom = 70.0, WIDTH - 190.0, 42.0, 362.0

    def at(p: Sequence[float]) -> tuple[float, float]:
        x, y = ((math.log10(v) - a) / (b - a) for v, a, b in ((p[0], x0, x1), (p[1], y0, y1)))
        return left + x * (right - left), bottom - y * (bottom - top)

    parts = [text(left, 26, title, size=14)]
    for power in range(x0, x1 + 1, max(1, (x1 - x0) // 7)):
        x = at((10.0**power, 10.0**y0))[0]
        parts += [line(x, top, x, bottom), text(x, bottom + 18, f"1e{power}", "middle", size=12)]
    for power in range(y0, y1 + 1, max(1, (y1 - y0) // 7)):
        y = at((10.0**x0, 10.0**power))[1]
        parts += [line(left, y, right, y), text(left - 6, y + 4, f"1e{power}", "end", size=12)]
    for k, (name, points) in enumerate(series.items()):
        colour, places = COLOURS[k % len(COLOURS)], [at(p) for p in points]
        dash = ' stroke-dasharray="7 4"' if k >= len(COLOURS) else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        y = top + 10 + 20 * k
        parts += [line(right + 12, y, right + 32, y, colour, 3.0, "7 4" if dash else ""), text(right + 38, y + 4, name, size=12)]
    height = max(bottom, top + 20 * len(series)) + 44
    parts += [text(0.5 * (left + right), bottom + 38, across, "middle", size=12)]
    parts.append(f'<g transform="translate(16 {0.5 * (top + bottom):.0f}) rotate(-90)">{text(0, 0, up, "middle", size=12)}</g>')
    return svg(height, title, parts)
