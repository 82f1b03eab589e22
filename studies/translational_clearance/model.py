"""Slider-crank whose slider has play in its guide: impacts of four corners, without a contact stiffness.

Data: P. Flores, R. Leine, C. Glocker, "Modeling and analysis of planar rigid multibody systems with translational clearance joints based on
the non-smooth dynamics approach", Multibody System Dynamics 23 (2010) 165-190.
"""

import flexmbd as fm

CRANK, ROD = 0.153, 0.306  # lengths, m
RATE = 150.0  # of the crank at the start, rad/s; nothing drives it
PLAY = 1e-3  # on either side of the slider, m
STIFFNESS = 1e9  # of a penalty contact, N/m^1.5


def slider_crank(restitution=0.4, friction=0.01, play=PLAY, *, contact="impenetrable"):
    """Crank that turns freely, its slider in the middle of the guide.

    Parameters
    ----------
    restitution, friction : float or ndarray
        Of the slider's corners against the walls.
    play : float or ndarray
        On either side, m.
    contact : str
        ``"impenetrable"``, or ``"penalty"``: a contact law with a stiffness, which needs steps of a fraction of a microsecond.
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
    if contact == "impenetrable":
        law, rubs = fm.Impenetrable(restitution, friction=friction), None
    else:
        law, rubs = fm.HuntCrossley(STIFFNESS, restitution=restitution), fm.Ambrosio(friction, v0=1e-3, v1=1e-2)
    s.add(fm.ClearanceTranslational("guide", slider.centre, s.ground.at(0.0, 0.0), play, 0.1, 0.05, law, rubs))
    s.alias("slider.v", "slider.vx")
    return s
