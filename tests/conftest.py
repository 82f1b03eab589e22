"""Property tests draw the same examples in every run, as all tests are seeded; ``HYPOTHESIS=random pytest`` looks for new ones.

With ``TESTS_COMPLETE=1``, as in ``.ci/run``, a test that skips because a Python package is missing has failed.

Workers of xdist take whole files, those that take longest first, so that none is left alone with one at the end. Linear algebra has one
thread in each: two of them with two threads on two cores wait for each other, and take twice as much of the processor.
"""

import gc
import os
import re
import sys
from collections import Counter

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is there; workers and commands inherit it

settings.register_profile("seeded", derandomize=True)
settings.register_profile("random")
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "seeded")

MISSING = re.compile(r"(?!.*Debian).*(could not import|is not installed)", re.DOTALL)

FAST, SLOW = 0.11, 1.0  # seconds of a processor that a test takes
LONG = {  # that the slow tests of a file take together, where these are many more than one each
    "test_drops": 190, "test_studies": 180, "test_orders": 140, "test_long_histories": 130, "test_methods_importance": 120,
    "test_wheel": 120, "test_signals": 80, "test_studies_as_trees": 190, "test_tree_algorithms": 90, "test_trees": 100,
    "test_tree_analyses": 30, "test_damages": 60, "test_names": 50, "test_impenetrable_woodpecker": 40, "test_reliability": 40,
    "test_report_browser": 40, "test_viewer_browser": 25, "test_view_browser": 60, "test_view": 40, "test_viewer_sections": 25,
    "test_sliding_joint": 30, "test_campaign_places": 30, "test_time_limits": 20, "test_methods_two_loop": 20,
}  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Files in the order of their length, of what is selected."""
    fast, slow = Counter(), Counter()
    for item in items:
        (fast if item.get_closest_marker("slow") is None else slow)[item.path] += 1
    length = {path: FAST * fast[path] + (max(SLOW * slow[path], LONG.get(path.stem, 0)) if slow[path] else 0) for path in fast | slow}
    items.sort(key=lambda item: -length[item.path])


KNOWN = [0]  # modules that searches for garbage leave out
MODULES, OBJECTS = 50, 100_000  # so many new ones make another look worth its second


def pytest_collection_finish():
    """No search for garbage goes through the modules and tests of all files again: each study ends with one, which took 0.35 s."""
    leave_out_what_lasts()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Nor through what tests have imported, compiled and kept since, which is more than all that was there before."""
    last = nextitem is None or nextitem.path != item.path
    if len(sys.modules) > KNOWN[0] + MODULES or (last and len(gc.get_objects()) > OBJECTS):
        leave_out_what_lasts()


def leave_out_what_lasts():
    """Searches for garbage leave out all that is there; garbage of what was left out before is found here."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    KNOWN[0] = len(sys.modules)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and os.environ.get("TESTS_COMPLETE") and isinstance(report.longrepr, tuple) and MISSING.match(report.longrepr[2]):
        report.outcome, report.longrepr = "failed", f"with TESTS_COMPLETE no test may skip for want of a package: {report.longrepr[2]}"
    return report
