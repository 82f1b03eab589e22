"""At which inputs the bounds of a history were reached, over time."""

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Curve, Figure, Panel

ENDS = (("lower", "lower bound", 1), ("upper", "upper bound", 0))


def worst_figures(result, names: list[str]) -> list[Figure]:
    """One figure for each history, a panel for each input; where two bounds jump from run to run another corner causes them."""
    figures = []
    for name in names:
        if name not in result.worst:
            continue
        places = result.worst[name]
        time, panels = places["time"].values, []
        for key in map(str, places["input"].values):
            unit = samples.written(result, key)
            curves = tuple(Curve(time, np.asarray(unit.of(places.sel(bound=end, input=key).values)), words, k) for end, words, k in ENDS)
            panels.append(Panel("time [s]", samples.with_unit(key, unit), curves, height=1.4))
        caption = ("The inputs of the run that reached each bound, at every time.",)
        figures.append(Figure(f"{name}.worst", f"{name}: where its bounds were reached", tuple(panels), caption))
    return figures
