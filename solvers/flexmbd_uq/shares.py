"""What the page says of regimes: how much of its time each run spends in which."""

from flexmbd_uq.regimes import NOT_DRAWN, regime_names, regimes_of
from uqmbd.figures.samples import are_a_sample
from uqmbd.tables.outputs import output_names
from uqmbd.tables.text import Table
from uqmbd.tables.trust import percent


def regimes_table(result) -> Table:
    """Share of the time in each regime: least, mean and greatest of the runs, and how many runs are never in it."""
    rows = []
    for name in regime_names(result, output_names(result)[0]):
        found = regimes_of(result, name)
        if found is None:
            continue
        for label, share in zip(found.labels, found.over_runs(), strict=True):
            numbers = (percent(float(value)) for value in (share.min(), share.mean(), share.max(), (share == 0.0).mean()))
            rows.append((name, label, *numbers))
    header = ("output", "regime", "least", "mean of the runs", "greatest", "runs never in it")
    note = "Share of the time between the points of the histories; reached by the runs, not an enclosure."
    if rows and not are_a_sample(result):
        note = f"{note} {NOT_DRAWN}"
    return Table("Share of the time in each regime", header, tuple(rows), (False, False, True, True, True, True), note if rows else "")
