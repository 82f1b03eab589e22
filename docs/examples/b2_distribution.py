"""
The same as distributions
=========================

If it is known how often each value occurs, the answer is a distribution: by an expansion from forty runs, and by 4,096 runs for
comparison. A model of arrays is called once for all of them.
"""

import tempfile

import matplotlib.pyplot as plt

import uqmbd as uq


@uq.vectorized
def sag(load, length, stiffness):
    """Deflection of a cantilever's tip, mm."""
    return {"sag": (1e3 * load * length**3 / (3 * stiffness), "mm")}


inputs = {
    "load": uq.Normal(100.0, 10.0, unit="N"),
    "length": uq.Uniform(0.98, 1.02, unit="m"),
    "stiffness": uq.Lognormal(2000.0, 100.0),
}
methods = {"sampled": uq.MonteCarlo(samples=4096, design="sobol"), "expansion": uq.PCE(samples=40, degree=3)}
study = uq.Study(model=sag, inputs=inputs, outputs=["sag"], method=methods, name="sag")
found = study.run(workers=0, out=tempfile.mkdtemp(), report=False, progress=False)

figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
axes.hist(found["sampled"].runs["sag"].values, bins=60, density=True, alpha=0.4, label="4,096 runs")
for label, color in (("sampled", "tab:blue"), ("expansion", "tab:red")):
    axes.axvline(float(found[label].statistics["sag"].sel(statistic="mean")), color=color, label=f"mean, {label}")
axes.set(xlabel="sag, mm", ylabel="density, 1/mm")
axes.legend(frameon=False)

# %%
# Which input matters: shares of the variance.

indices = found["expansion"].sensitivity["sag"].sel(kind="first")
print({str(name): round(float(value), 3) for name, value in zip(indices["input"].values, indices.values, strict=True)})
