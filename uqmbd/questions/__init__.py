"""Questions: what is asked of a surrogate over a region."""
