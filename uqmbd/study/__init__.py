"""Studies: read, checked, run."""

from uqmbd.spec import CampaignSettings, TimeGrid
from uqmbd.study.study import Study

__all__ = ["CampaignSettings", "Study", "TimeGrid"]
