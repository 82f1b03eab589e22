"""Slider-crank whose slider has play in its guide: impacts of four corners, without a contact stiffness.

Data: P. Flores, R. Leine, C. Glocker, "Modeling and analysis of planar rigid multibody systems with translational clearance joints based on
the non-smooth dynamics approach", Multibody System Dynamics 23 (2010) 165-190.
"""

import flexmbd as fm

CRANK, ROD = 0.153, 0.306  # lengths, m
RATE = 150.0  # of the crank at the start, rad/s; nothing drives it
PLAY = 1e-3  # on either side of the slider, m
STIFFNESS = 1e9  # of `with_stiffness`, N/m^1.5


def slider_crank(restitution=0.4, friction=0.01, play=PLAY, *, stiffness=None):
    """Crank that turns freely, its slider in the middle of the guide.

    Parameters
    ----------
    restitution, friction : float or ndarray
        Of the slider's corners against the walls.
    play : float or ndarray
        On either side, m.
    stiffness : float, optional
        Of a contact law in place of impenetrable bodies, N/m^1.5; its steps are a microsecond and less.
    """
    s = fm.System()
    ends = {"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)}
    up = RATE * CRANK / 2
    crank = s.body("crank", mass=0.038, inertia=7.4e-5, position=(CRANK / 2, 0.0), rate=RATE, velocity=(0.0, up), points=ends)
    ends = {"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)}
    rod = s.body("rod", mass=0.038, inertia=5.9e-4, position=(CRANK + ROD / 2, 0.0), rate=-RATE / 2, velocity=(0.0, up), points=ends)
    slider = s.body("slider", mass=0.076, inertia=2.7e-6, position=(CRANK + ROD, 0.0))
    s.add(fm.Revolute("O", crank["O"], s.ground.at(0.0, 0.0)))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    if stiffness is None:
        law, rubs = fm.Impenetrable(restitution, friction=friction), None
    else:
        law, rubs = fm.LankaraniNikravesh(stiffness, restitution=restitution, calibrated=True), fm.Ambrosio(friction, v0=1e-4, v1=1e-3)
    s.add(fm.ClearanceTranslational("guide", slider.centre, s.ground.at(0.0, 0.0), play, 0.1, 0.05, law, rubs))
    s.alias("slider.v", "slider.vx")
    return s


def with_stiffness(restitution=0.4, friction=0.01, play=PLAY):
    """The same mechanism with a contact law, for steps that are chosen by their error."""
    return slider_crank(restitution, friction, play, stiffness=STIFFNESS)
