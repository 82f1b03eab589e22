"""Regions: where inputs that are not random can be, and the range of a surrogate there."""
