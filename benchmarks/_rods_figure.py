"""Figure of `docs/theory/symplectic_perturbation.md`: energy, ways of the nodes, deflection, of both examples."""

import numpy as np


def histories(build, outputs, end, step, scheme="symplectic_perturbation", **settings):
    """Times and outputs by name."""
    import flexmbd as fm

    settings = {
        "integrator": scheme,
        "lanes": 1,
        "max_steps": 10_000_000,
        **({} if scheme == "dormand_prince" else {"step": step}),
        **settings,
    }
    found = fm.run(build, {}, end=end, points=round(end / step) + 1, outputs=outputs, settings=settings)
    return found.time, {name: x[0] for name, x in found.outputs.items()}


def energies(axis, build, end, step):
    """Errors of the energy, by scheme, as running means of a fiftieth of the time and as they are."""
    for scheme, settings, colour in (
        ("symplectic_perturbation", {}, "tab:blue"),
        ("exponential", {}, "tab:green"),
        ("newmark", {"fixed": True}, "tab:red"),
        ("generalized_alpha", {"fixed": True}, "tab:orange"),
    ):
        time, found = histories(build, ["energy.total"], end, step, scheme, **settings)
        error = found["energy.total"] / found["energy.total"][0] - 1.0
        lost, label, window = ~np.isfinite(error), scheme.replace("_", " "), len(error) // 20
        if lost.any():
            label, error = f"{label}: ends at {time[lost][0]:.2g} s", np.full(len(error), np.nan)
        mean = np.convolve(error, np.ones(window) / window, "valid")
        axis.plot((time[: len(mean)] + 0.5 * window * step)[::20], 1e3 * mean[::20], color=colour, label=label)
    axis.set(xlabel="time, s", ylabel="error of the energy, 1e-3 of it (means of a twentieth)", xlim=(0.0, end))
    axis.legend(frameon=False)


def draw(path):
    """Six axes: a column for each example."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from tests.flexmbd.rods import double_pendulum, three_rods

    figure, axes = plt.subplots(3, 2, figsize=(11.0, 12.0), layout="constrained")
    cases = (
        (double_pendulum, ("joint", "bob"), "lower.middle.deflection", 100.0, 4e-3, 1.0),
        (three_rods, ("first", "second"), "coupler.ball.deflection", 50.0, 1e-2, 0.5),
    )
    for column, (build, nodes, deflection, end, step, shown) in zip(axes.T, cases, strict=True):
        column[0].set_title({"double_pendulum": "Example 1, steps of 4 ms", "three_rods": "Example 2, steps of 10 ms"}[build.__name__])
        energies(column[0], build, end, step)
        outputs = [f"{node}.{axis}" for node in nodes for axis in "xy"] + [deflection]
        _, ours = histories(build, outputs, 10.0, step)
        _, exact = histories(build, outputs, 10.0, step, "dormand_prince", tolerance=1e-12)
        for node, colour in zip(nodes, ("tab:green", "tab:purple"), strict=True):
            column[1].plot(exact[f"{node}.x"][::3], exact[f"{node}.y"][::3], color="0.6", linewidth=2.5)
            column[1].plot(ours[f"{node}.x"][::3], ours[f"{node}.y"][::3], color=colour, linewidth=0.8, label=node)
        column[1].set(xlabel="x, m", ylabel="y, m", aspect="equal")
        column[1].legend(frameon=False, title="10 s; grey: direct")
        if build is double_pendulum:
            column[1].invert_yaxis()
        time, fine = histories(build, [deflection], shown, step / 20, "dormand_prince", tolerance=1e-12)
        column[2].plot(time, 1e6 * fine[deflection], color="0.6", linewidth=1.0, label="direct")
        time, found = histories(build, [deflection], shown, step)
        column[2].plot(time, 1e6 * found[deflection], "o", color="tab:blue", markersize=3.0, label="ends of steps")
        column[2].set(xlabel="time, s", ylabel="deflection in the middle, µm" if build is double_pendulum else "deflection at the mass, µm")
        column[2].legend(frameon=False)
    figure.savefig(path)
