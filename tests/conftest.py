"""Property tests draw the same examples in every run, as all tests are seeded; ``HYPOTHESIS=random pytest`` looks for new ones.

With ``TESTS_COMPLETE=1``, as in ``.ci/run``, a test that skips because a Python package is missing has failed.
"""

import os
import re

import pytest
from hypothesis import settings

settings.register_profile("seeded", derandomize=True)
settings.register_profile("random")
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "seeded")

MISSING = re.compile(r"(?!.*Debian).*(could not import|is not installed)", re.DOTALL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and os.environ.get("TESTS_COMPLETE") and isinstance(report.longrepr, tuple) and MISSING.match(report.longrepr[2]):
        report.outcome, report.longrepr = "failed", f"with TESTS_COMPLETE no test may skip for want of a package: {report.longrepr[2]}"
    return report
