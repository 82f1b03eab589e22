"""What a study asks, as data: read from a file or made in Python, written, compared, and described for editors."""

from uqmbd.spec.sections import CampaignSettings, TimeGrid
from uqmbd.spec.spec import StudySpec

__all__ = ["CampaignSettings", "StudySpec", "TimeGrid"]
