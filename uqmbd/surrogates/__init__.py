"""Surrogates: where each wants runs, and what it makes of them."""
