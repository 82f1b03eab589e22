"""Colours of figures and page, light and dark, by the name of what they stand for.

The cycle c0 ... c7 was searched for: the least distance of two of its colours (CIELAB, 1976) is as large as could be found for readers
with normal sight and with protanopia, deuteranopia and tritanopia (as simulated by Machado et al. 2009,
doi:10.1109/TVCG.2009.113), with a contrast of at least 3 against the paper. The tests measure both.
"""

LIGHT = {
    "paper": "#ffffff", "back": "#f6f7f9", "ink": "#1c2430", "soft": "#5b6675", "line": "#dfe3e9", "grid": "#e4e7ec",
    "link": "#1f4e9c", "warn": "#fdf4e7", "amber": "#b8650f", "run": "#8a8f98", "bars": "#7d93b8", "shade": "#d9822b",
    "outer": "#442eb5", "inner": "#972000", "fan": "#0ca65f", "error": "#6d006b", "yes": "#13693a", "partly": "#84500a", "no": "#a3201a",
    "c0": "#442eb5", "c1": "#972000", "c2": "#0ca65f", "c3": "#ed62ac", "c4": "#ac9400", "c5": "#9086f0", "c6": "#5e5152", "c7": "#6d006b",
}  # fmt: skip
DARK = {
    "paper": "#14171c", "back": "#1d2128", "ink": "#e8eaed", "soft": "#a7b0bd", "line": "#363c46", "grid": "#2b3038",
    "link": "#8ab4f8", "warn": "#33270f", "amber": "#e0a04a", "run": "#878d97", "bars": "#6f86ad", "shade": "#d9822b",
    "outer": "#96c8fd", "inner": "#e77220", "fan": "#23ff8b", "error": "#ffd000", "yes": "#6fd39a", "partly": "#e0a04a", "no": "#ff9a8c",
    "c0": "#6c74c8", "c1": "#e77220", "c2": "#23ff8b", "c3": "#a9537d", "c4": "#ffd000", "c5": "#96c8fd", "c6": "#958255", "c7": "#9b2ff9",
}  # fmt: skip


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``, 0 to 255."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def css(theme: dict[str, str]) -> str:
    """The theme as CSS variables: ``--ink: #1c2430; ...``."""
    return " ".join(f"--{name}: {color};" for name, color in theme.items())
