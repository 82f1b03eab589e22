"""Oil films of journals that tilt in their bearings."""

from flexmbd.lubrication.tilted.film import TiltedFilm, tilted_shapes

__all__ = ["TiltedFilm", "tilted_shapes"]
