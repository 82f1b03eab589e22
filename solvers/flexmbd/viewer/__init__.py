"""See a motion: pages with a scene that moves, of trajectories that were run with ``poses=True``."""

from flexmbd.viewer.view import Viewer, show

__all__ = ["Viewer", "show"]
