"""Pure mathematics on arrays: expansions and their ranges, running moments, order statistics, trust, figures."""
