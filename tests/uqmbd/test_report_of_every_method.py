"""The report of a real result of every method: it is written, names every output, and has the figures that say what was found."""

import pytest

from uqmbd import figures
from uqmbd.report import page

from .test_campaign_store_modes import EVERY, Counted


@pytest.mark.parametrize(("method", "inputs", "sets"), EVERY)
def test_a_report_is_made(method, inputs, sets, tmp_path):
    result = Counted().study((method, inputs, sets), ["s", "h"], store="all").run(out=tmp_path / "results")
    sections = figures.sections(result)
    names = {figure.key: figure.key for group in sections.values() for figure in group}
    text = page._render(result, sections, names, "")
    assert names and "</html>" in text
    for group in sections.values():
        for figure in group:
            assert f'id="{figure.key}"' in text, figure.key
