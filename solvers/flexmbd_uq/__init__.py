"""What reports of uqmbd show of models of flexmbd: orbits of journals, regimes of lubrication.

uqmbd finds it by the entry points of this package, and knows nothing of it; flexmbd does not either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uqmbd.figures.marks import Figure
    from uqmbd.tables.text import Table


def sections(result: Any) -> dict[str, list[Figure]]:
    """Figures by the title of their section (entry point in the group ``uqmbd.figures``)."""
    from flexmbd_uq.orbits import orbit_figures
    from flexmbd_uq.regimes import regime_figures
    from uqmbd.tables.outputs import output_names

    histories, _ = output_names(result)
    return {"Orbits": orbit_figures(result, histories), "Regimes": regime_figures(result, histories)}


def tables(result: Any) -> list[Table]:
    """Tables of what was found (entry point in the group ``uqmbd.tables``)."""
    from flexmbd_uq.shares import regimes_table

    return [regimes_table(result)]
