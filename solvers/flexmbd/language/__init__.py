"""One language: graphs of expressions, kernels that are traced, and their evaluation by numpy."""
