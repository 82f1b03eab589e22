"""What analyses do not treat: said by name, with one sentence."""

from flexmbd.errors import ModelError


def refuse_coupled(problem, *, moving=True):
    """Raise `ModelError` if there are forces that depend on reactions, such as friction in ideal joints; at rest if they act there too."""
    found = [one for one in problem.coupled if moving or not one.rests]
    for where in dict.fromkeys(one.where for one in found):
        names = _names(one.element for one in found if one.where == where)
        raise ModelError(f"the system has {where} ({names}), which is not treated here", remedy="use run")


def refuse_unilateral(problem):
    """Raise `ModelError` if there are contacts, locks or guides whose forces only the schemes of `run` find."""
    if problem.unilaterals:
        names = _names(contact.element for contact in problem.unilaterals)
        told = f"the system has impenetrable contacts, locks or guides ({names}), which are not treated here"
        raise ModelError(told, remedy="use run, or give the contact a law, which makes it a force")


def of_one_sample(system):
    """`Parameters` of a system; raises `ModelError` if any of them is an array over samples."""
    parameters = system.parameters()
    for path in parameters.varied:
        raise ModelError(f"'{path}' is an array over samples; these equations are for one sample")
    return parameters


def refuse_contacts(problem, why, remedy="use run"):
    """Raise `ModelError` if there are contacts or conditions whose onset would have to be located."""
    if problem.contacts:
        names = _names(contact.element for contact in problem.contacts)
        raise ModelError(f"the system has contacts ({names}); {why}", remedy=remedy)


def refuse_states(problem):
    """Raise `ModelError` if elements have states of their own that forces follow (bristles, temperatures, controllers)."""
    names = [state.name for state in problem.states if state.controlled]
    if names:
        raise ModelError(f"forces have states of their own ({', '.join(names)}), which these equations leave out", remedy="use run")


def _names(elements):
    return ", ".join(dict.fromkeys(element.name for element in elements))
