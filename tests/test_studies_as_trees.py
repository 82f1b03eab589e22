"""Studies whose mechanism can be a tree have in joint coordinates the results of natural ones; a tree refuses the others in a sentence.

Which of them can is found by trying.  How near both have to be follows from their schemes: each formulation runs with the study's tolerance
(or step), and with a finer one, and what these two differ by is its error.  Where contacts make neighbouring motions part, these
two part as well, and from then on nothing is compared.
"""

from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.errors import StudyError
from uqmbd.study import Study
from uqmbd.study.trial import Trial

from .flexmbd.sentences import names
from .test_studies import model_of

STUDIES = Path(__file__).parents[1] / "studies"
FINE = 16.0  # a quarter of a tolerance may, by chance, leave an error as it was
FINE_STEP = 4.0  # of a fixed step the error is known to fall: by 16 in schemes of second order
PARTED = 0.1  # of a history's size, after which two runs of one motion have nothing to do with each other
NO_MECHANISM = {
    "bouncing_ball",
    "chaos_control",
    "duffing_fold",
    "friction_posterior",
    "gearbox_meshing",
    "impact_oscillator_flips",
    "wearing_joint",
}  # functions, which have no settings of a solver
LONG = {
    "manipulator",  # a million steps a run, four times as many in the finer ones; impacts in twelve contacts
    "slider_crank_bifurcation",  # its outputs are those of chaotic motion: nothing of two runs is alike
}
CHAOTIC = {"translational_clearance": 0.2, "slider_crank_worn": 0.8}  # the least share of all values that is compared; of others: all


def run(name, finer=1.0, **solver):
    """Outputs of a study for the middle of its inputs and another sample, with its tolerance (or its step) divided."""
    study = Study.from_file(STUDIES / name / "study.toml")
    key = "step" if "step" in study.solver else "tolerance"
    finer = min(finer, FINE_STEP) if study.solver.get("fixed") else finer
    study = study.changed(solver={**study.solver, key: study.solver[key] / finer, **solver})
    trial = Trial(study)
    found = trial.checked().simulate({key: x[:2] for key, x in trial.samples.items()})
    assert not found.status.any(), found.message
    return found.outputs


def share_compared(natural, tree):
    """Both, each from a coarse and a fine run, are equal but for twice their errors; of all values the share that shows it.

    The error of a number is at least that of the histories, because two runs may have it in common by chance.
    """
    (a, a_fine), (b, b_fine) = natural, tree
    histories = [name for name, x in a.items() if x.ndim == 2]
    sizes = {name: np.abs(x).max() or 1.0 for name, x in a.items()}
    errors = {name: (np.abs(x - a_fine[name]) + np.abs(b[name] - b_fine[name])) / sizes[name] for name, x in a.items()}
    none = [np.zeros((len(next(iter(a.values()))), 1))]  # of a study of numbers alone, which have their own errors
    worst = np.maximum.accumulate(np.max([errors[name] for name in histories] or none, axis=0), axis=1)  # (samples, times)
    together = worst < PARTED
    compared = count = 0
    for name, x in a.items():
        still = together if x.ndim == 2 else together.all(axis=1)
        error = np.maximum.accumulate(errors[name], axis=1) if x.ndim == 2 else np.maximum(errors[name], worst[:, -1])
        apart = np.abs(x - b[name]) / sizes[name]
        assert (apart <= 2.0 * error + 1e-7)[still].all(), (name, float((apart - 2.0 * error)[still].max()))
        compared, count = compared + np.count_nonzero(still), count + still.size
    return compared / count


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({path.parent.name for path in STUDIES.glob("*/study.toml")} - NO_MECHANISM - LONG))
def test_a_study_in_both_formulations(name):
    try:
        tree = [run(name, finer, formulation="tree") for finer in (1.0, FINE)]
    except StudyError as error:
        return names(str(error), "formulation 'tree'", "'", "natural")
    share = share_compared([run(name, finer, formulation="natural") for finer in (1.0, FINE)], tree)
    assert share >= CHAOTIC[name] if name in CHAOTIC else share == 1.0, share
    return None


@pytest.mark.slow
def test_a_wearing_joint_in_both_formulations(monkeypatch):
    """Its model is a loop of runs, whose settings are its own; its first two updates, whose numbers are histories here.

    In the second one the largest force is that of a single impact, 208 to 233 N by the tolerance alone: there runs may have parted.
    """
    model, cycles = model_of("wearing_joint"), fm.wear_cycles

    def wearing(finer, **solver):
        def call(*arguments, settings, **others):
            return cycles(*arguments, settings=settings | {"tolerance": settings["tolerance"] / finer, **solver}, **others)

        monkeypatch.setattr(fm, "wear_cycles", call)
        return {name: x[None] for name, x in model.wearing(4e-5, 5e-5, np.linspace(0.0, 14400.0, 3)).items()}

    natural = [wearing(finer) for finer in (1.0, FINE)]
    assert share_compared(natural, [wearing(finer, formulation="tree") for finer in (1.0, FINE)]) >= 2.0 / 3.0
