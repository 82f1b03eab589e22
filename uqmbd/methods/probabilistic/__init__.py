"""Random inputs: sampling and chaos expansions."""
