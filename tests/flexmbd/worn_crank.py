"""The slider-crank of `reference_crank` as a flexmbd model: one compiled variant for all tests of the clearance joint."""

import flexmbd as fm

from .reference_crank import CRANK, I2, M2, M3, RADIUS, ROD, SPEED, STIFFNESS

OUTPUTS = [
    "rod.angle", "slider.x", "rod.rate", "slider.vx", "slider.ax", "B.contact", "B.impacts", "B.penetration", "B.rate", "B.force",
    "B.normal", "B.friction", "B.fx", "B.impact_velocity", "B.eccentricity", "energy.balance", "energy.kinetic", "energy.dissipated",
    "B.force:max", "B.force:time_of_max", "energy.kinetic:max", "B.impacts:final",
]  # fmt: skip
STATE = ("rod.angle", "slider.x", "rod.rate", "slider.vx")


def worn_crank(clearance=0.5e-3, restitution=0.9, mu=0.0, stiffness=STIFFNESS, film=None, *, calibrated=False, slowest=None):
    """Driven at constant speed from the outer dead position, journal centred, velocities of the ideal mechanism."""
    s = fm.System()
    crank = s.body("crank", mass=0.3, inertia=1e-5, position=(CRANK / 2, 0), points={"O": (-CRANK / 2, 0), "A": (CRANK / 2, 0)})
    rod = s.body("rod", mass=M2, inertia=I2, position=(CRANK + ROD / 2, 0), points={"A": (-ROD / 2, 0), "B": (ROD / 2, 0)})
    slider = s.body("slider", mass=M3, inertia=1e-4, position=(CRANK + ROD, 0))
    pivot = s.ground.at(0, 0)
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider.centre))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(SPEED)))
    law = fm.LankaraniNikravesh(stiffness, restitution=restitution, calibrated=calibrated)
    friction = fm.Ambrosio(mu, v0=1e-3, v1=1e-2)
    how = {"bearing_radius": RADIUS, "start": "centred", "film": film, "minimum_impact_velocity": slowest}
    s.add(fm.ClearanceRevolute("B", rod["B"], slider.centre, clearance, law, friction, **how))
    return s
