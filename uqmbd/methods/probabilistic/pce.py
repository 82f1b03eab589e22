"""Polynomial chaos: distributions and Sobol' indices of the response from few runs."""

from __future__ import annotations

from typing import Any, ClassVar

from uqmbd.methods.base import MethodRun
from uqmbd.methods.probabilistic.settings import Expanded


class PCE(Expanded):
    """Polynomial chaos expansion of every output at every time: moments, quantiles, and Sobol' indices from its coefficients.

    Random inputs have the orthonormal polynomials of their distribution, intervals those of a uniform one: an interval is then taken
    as "every value equally likely", which is more than an interval says. Where inputs depend on each other there are no Sobol' indices but
    kinds that do not depend on the order of the inputs: ``shapley``, ``first_full``, ``total_independent``. The theory page ``chaos.md``
    has the details.

    The settings are those of `Expanded`.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> scatter = {"load": uq.Normal(100.0, 5.0, unit="N"), "stiffness": uq.Uniform(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=scatter, outputs=["sag"], method=uq.PCE(samples=40, degree=3), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.sensitivity["sag"].sel(kind="first").values.round(2).tolist()  # shares of the variance: load, stiffness
    [0.43, 0.57]
    """

    name: ClassVar[str] = "pce"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})

    def _start(self, *study: Any) -> MethodRun:
        from uqmbd.methods.probabilistic.pce_results import StatisticsRun

        return StatisticsRun(self, *study)
