"""Tables of a result: frames of its groups, and their forms as text, CSV and LaTeX."""
