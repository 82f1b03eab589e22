"""How likely, or how far away, an output is from its limit."""
