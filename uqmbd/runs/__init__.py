"""The files in which runs are kept: their format, where they lie, and the one reader of them."""
