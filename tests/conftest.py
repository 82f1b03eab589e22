"""Property tests draw the same examples in every run, as all tests are seeded; ``HYPOTHESIS=random pytest`` looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("seeded", derandomize=True)
settings.register_profile("random")
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "seeded")
