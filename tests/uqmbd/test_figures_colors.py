"""The colours of figures stay apart for colour-blind readers, on light and on dark paper."""

import re
from itertools import combinations

import numpy as np
import pytest

from uqmbd.figures.colors import DARK, LIGHT, css, rgb
from uqmbd.figures.marks import COLORS, STYLES, look
from uqmbd.report.pages import asset

SIGHT = {  # Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])


def linear(color: str) -> np.ndarray:
    """Linear RGB of ``#rrggbb``."""
    part = np.array(rgb(color)) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(color: str, sight: str) -> np.ndarray:
    """CIELAB (D65) of a colour as it is seen."""
    x = XYZ @ np.clip(np.array(SIGHT[sight]) @ linear(color), 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_distance(colors: list[str], sight: str) -> float:
    seen = [lab(color, sight) for color in colors]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))


def contrast(a: str, b: str) -> float:
    """Ratio of luminances as WCAG defines it."""
    low, high = sorted(float(XYZ[1] @ linear(color)) + 0.05 for color in (a, b))
    return high / low


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_of_the_cycle_stay_apart(theme, sight):
    cycle = [theme[f"c{k}"] for k in range(COLORS)]
    assert least_distance(cycle, sight) > 29  # Okabe and Ito's eight: 16
    together = [theme[name] for name in ("outer", "inner", "fan", "ink", "error")]
    assert least_distance(together, sight) > 20


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_and_words_stand_out_from_the_paper(theme):
    assert all(contrast(theme[f"c{k}"], theme["paper"]) >= 3 for k in range(COLORS))
    assert all(contrast(theme[name], theme["paper"]) >= 3 for name in ("outer", "inner", "fan", "error", "run"))
    assert all(contrast(theme[word], theme[paper]) >= 4.5 for word in ("ink", "soft", "link") for paper in ("paper", "back"))
    assert contrast(theme["ink"], theme["warn"]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_word_of_the_page_can_be_read(theme):
    """WCAG AA: of each colour that the style gives to words on each ground that it gives; 3 for what shows where the focus is."""
    style = asset("page.css")
    words = set(re.findall(r"(?<![-\w])color: var\(--(\w+)\)", style))
    grounds = set(re.findall(r"background: var\(--(\w+)\)", style)) - {"warn"}
    assert {"ink", "soft", "link", "yes", "partly", "no"} <= words and grounds == {"paper", "back"}
    for word in words:
        for ground in grounds:
            assert contrast(theme[word], theme[ground]) >= 4.5, (word, ground)
    assert all(contrast(theme["link"], theme[ground]) >= 3 for ground in ("paper", "back", "warn"))


def test_themes_have_the_same_names_and_every_style_is_one_of_them():
    assert list(LIGHT) == list(DARK)
    assert {style.color for style in STYLES.values()} | {look(k).color for k in range(COLORS)} <= set(LIGHT)
    assert look(2).color == look(2 + COLORS).color and look(2).dash != look(2 + COLORS).dash
    assert css({"ink": "#123456"}) == "--ink: #123456;"
