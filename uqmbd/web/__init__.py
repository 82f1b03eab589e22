"""The local web page of results, and of studies under way: `uqmbd view`. It is served to this machine alone."""
