"""Long-term motion over a parameter."""
