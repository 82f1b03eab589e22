"""From a system to its equations as graph nodes."""
