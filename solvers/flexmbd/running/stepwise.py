"""What is said of runs in steps of one length: the step, and which outputs are percussions over it."""

from flexmbd.registry import HOLDS, NEWTON, POISSON


def fixed_step(model, settings):
    """The step that a scheme keeps to, s, and the order of its error; nothing of schemes that choose their steps.

    Over impacts the order is 1; at onsets and ends of other contacts it may be less than the scheme's, and nothing is promised there.
    """
    if not settings.fixed and model.scheme.adaptive:
        return {}
    struck = model.problem.unilaterals or model.problem.contacts
    return {"solver.fixed_step": settings.step, "solver.order": 1 if struck else model.scheme.order}


def percussions(model):
    """Outputs that are no forces in impacts, each with a sentence; of schemes that find percussions over a step."""
    if not model.scheme.percussive:
        return {}
    contacts, known = model.problem.unilaterals, model.problem.outputs
    struck = [f"{c.element.name}.impulse" for c in contacts if c.rule != HOLDS]
    instead = ["its ':mean'", *[f"'{name}' (N s)" for name in struck if name in known][:1]]
    if all(c.rule in (NEWTON, POISSON) for c in contacts):  # `event_driven` treats no others
        instead.append("integrator = 'event_driven', whose forces are those between impacts")
    said = "in an impact it is a percussion by the length of a step, which grows as the step shrinks and has no value of its own; "
    said += f"take {', or '.join(instead)}"
    return {f"{out}.percussion": said for out in model.signals.percussions}
