"""A table that prints whole: all rows and columns, in as many blocks as the width of the terminal asks for."""

import shutil
from typing import Any

import pandas as pd


class WholeTable(pd.DataFrame):
    """A `pandas.DataFrame` whose text is cut nowhere; what is computed from it is a plain one."""

    def __repr__(self) -> str:
        return self.to_string(line_width=shutil.get_terminal_size((80, 24)).columns) if len(self.columns) else super().__repr__()

    def __reduce__(self) -> Any:
        return pd.DataFrame(self).__reduce__()
