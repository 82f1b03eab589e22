"""Flores' planar slider-crank with a clearance joint between connecting rod and slider, the benchmark of clearance joints.

Data: Flores, Ambrosio, Claro, Lankarani, "Kinematics and Dynamics of Multibody Systems with Imperfect Joints", Springer 2008.
"""

import math

import flexmbd as fm

CRANK, ROD = 0.05, 0.12  # lengths, m
BEARING = 10e-3  # radius of the bearing, m
WALL = 0.25  # place of the wall on the line of the slider, m
STEEL = fm.Material(E=207e9, nu=0.3, name="steel")


def slider_crank(clearance=0.5e-3, restitution=0.9, friction=0.03, speed=5000 * 2 * math.pi / 60, *, calibrated=False, slowest_impact=1e-3,
                 impenetrable=False):  # fmt: skip
    """Crank driven at constant speed from the outer dead position, journal at the bearing's centre.

    Parameters
    ----------
    clearance : float or ndarray
        Radial clearance of the joint between rod and slider, m.
    restitution, friction : float or ndarray
        Coefficient of restitution, and of friction.
    speed : float or ndarray
        Angular velocity of the crank, rad/s.
    calibrated : bool
        False takes the published damping of Lankarani and Nikravesh, with which e = 0.5 comes out as 0.725; True the one
        with which an impact comes out exactly as its restitution says.
    slowest_impact : float
        Approach speed below which the damping of an impact no longer grows, m/s.
    impenetrable : bool
        True takes bodies that cannot penetrate each other in place of the contact law, for the schemes of such contacts.
    """
    s = fm.System()
    crank = s.body("crank", mass=0.30, inertia=1.0e-5, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1.0e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})  # never turns
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(speed)))
    stiffness = fm.hertz_sphere_stiffness(BEARING, BEARING - clearance, STEEL, STEEL, conformal=True)
    law = fm.LankaraniNikravesh(stiffness, restitution=restitution, calibrated=calibrated)
    sliding = fm.Ambrosio(friction, v0=1e-3, v1=1e-2)
    if impenetrable:
        law, sliding, slowest_impact = fm.Impenetrable(restitution, friction=friction), None, None
    start = {"start": "centred", "minimum_impact_velocity": slowest_impact}
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, sliding, bearing_radius=BEARING, **start))
    s.alias("slider.v", "slider.vx")
    s.alias("slider.a", "slider.ax")
    s.alias("crank.moment", "drive.moment")
    return s


def joint_in_service(clearance, restitution, friction):
    """The slider-crank with a joint in good order, whose journal hardly leaves the bearing.

    The restitution is that of an impact at 1 m/s, which no impact here reaches; slower contacts lose less (e = 1 - a v,
    as Hunt and Crossley 1975 found for metals).  With a damping that grows as the approach speed of each impact falls, a
    contact that opens for a microsecond would be damped many times more than one that just stays closed.
    """
    return slider_crank(clearance, restitution, friction, calibrated=True, slowest_impact=1.0)


def balanced(clearance, restitution, friction, stiffness, length):
    """The joint in service, with a spring between the slider and a wall that takes a part of its inertia.

    Parameters
    ----------
    stiffness, length : float or ndarray
        Of the spring, N/m, and its length at rest, m.
    """
    s = joint_in_service(clearance, restitution, friction)
    slider = next(body for body in s.bodies if body.name == "slider")
    s.add(fm.Spring("spring", slider["B"], s.ground.at(WALL, 0.0, "W"), stiffness=stiffness, length=length))
    return s
