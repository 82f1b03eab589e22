"""What tests of whole campaigns share: a model that counts its runs, and the numbers of a result."""

import numpy as np

import uqmbd as uq

LOGGED = """
import os
import numpy as np

def oscillator(k, c, time):
    with open(os.environ["RUN_LOG"], "a") as log:
        log.write(f"{k!r} {c!r}\\n")
    if k > float(os.environ.get("FAIL_ABOVE", "inf")):
        raise ValueError("spring broken")
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""


def numbers(directory) -> dict[str, np.ndarray]:
    """All numbers of a result and of its runs."""
    result = uq.open_results(directory)
    groups = {f"{key}/{name}": group[name].values for key, group in result.groups() for name in group.data_vars}
    runs = {name: result.runs[name].values for name in result.runs.data_vars}
    return groups | runs


def assert_identical(first, second) -> None:
    assert first.keys() == second.keys()
    for name, values in first.items():
        assert values.dtype == second[name].dtype and values.shape == second[name].shape, name
        if values.dtype.kind == "f":
            assert values.tobytes() == second[name].tobytes(), name
        else:
            assert np.array_equal(values, second[name]), name


def chunks(directory) -> list:
    """The files of the runs, in the order of their rows."""
    return sorted((directory / "runs").glob("*.runs"))
