"""The studies of the repository keep what they promise: trusted bounds hold on fresh runs, and lost trust is recognised."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.study import Study

STUDIES = Path(__file__).parents[1] / "studies"


def run(name, tmp_path, **changes):
    """Result of a study of the repository, with entries of its file replaced."""
    text = (STUDIES / name / "study.toml").read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    copy = tmp_path / name / "study.toml"
    copy.parent.mkdir()
    copy.write_text(text.replace('model = "', f'model = "{STUDIES}/{name}/'))
    return Study.from_file(copy).run(out=tmp_path / f"{name}-results")


def fresh(function, ranges, outputs, count, seed):
    """Outputs of random runs that the study has not seen."""
    spec = importlib.util.spec_from_file_location("crank_model", STUDIES / "slider_crank_clearance" / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = np.random.default_rng(seed)
    samples = {k: rng.uniform(*ends, count) for k, ends in ranges.items()}
    return fm.run(getattr(module, function), samples, end=0.024, points=481, outputs=outputs, settings={"tolerance": 1e-9})


@pytest.mark.slow
def test_demo_bounds_hold_where_they_are_trusted(tmp_path):
    result = run("slider_crank_clearance", tmp_path)
    for name in ("slider.x", "slider.v"):
        assert float(result.trusted[name].mean()) >= 0.85
    ranges = {"clearance": (2e-5, 5e-5), "restitution": (0.45, 0.55), "friction": (0.03, 0.07)}
    new = fresh("joint_in_service", ranges, ["slider.x", "slider.v", "B.force:max"], 2000, 20261121)
    assert not new.status.any()
    for name, values in new.outputs.items():
        lower, upper = (result.bounds[name].sel(bound=b).values for b in ("lower", "upper"))
        outside = (values < lower) | (values > upper)
        assert not (outside & result.trusted[name].values).any()


@pytest.mark.slow
def test_worn_joint_loses_trust_and_shows_the_runs_instead(tmp_path):
    result = run("slider_crank_worn", tmp_path)
    assert float(result.trusted["slider.v"].mean()) < 0.2
    assert float(result.trust_horizon["slider.v"]) < 0.005
    lost = ~result.trusted["slider.v"].values
    assert np.array_equal(result.bounds["slider.v"].values[:, lost], result.inner["slider.v"].values[:, lost])
    assert int(result.attrs["runs_ok"]) >= 2000


@pytest.mark.slow
def test_distributions_lie_inside_the_interval_bounds(tmp_path):
    result = run("slider_crank_random", tmp_path, **{"samples = 4096": "samples = 512"})
    q05, q95 = (result.statistics["slider.x"].sel(statistic=s).values for s in ("q05", "q95"))
    mean = result.statistics["slider.x"].sel(statistic="mean").values
    assert (q05 <= mean + 1e-12).all() and (mean <= q95 + 1e-12).all()
    assert (q95 - q05).max() < 1.2e-4  # twice the largest clearance, and what the contact gives way
