"""Models with contacts that cannot be penetrated, for tests of any scheme that treats them; numbers may be arrays over samples.

The library has no contact of a point with a line: corners are discs of radius `TIP` about points of the body.
"""

import numpy as np

import flexmbd as fm

G = 9.81
HEAVY = 1e9  # kg m²: what is meant to slide without turning
TIP = 1e-8  # m


def moved(build, outputs, *, end, step, points=2, samples=None, scheme="moreau", **settings):
    """Trajectory of a model or a batch, which must have gone well; a time grid of the steps if `points` is 0."""
    if not points:
        points = round(end / step) + 1
        end = (points - 1) * step
    found = fm.run(build, samples, end=end, points=points, outputs=outputs, settings={"integrator": scheme, "step": step, **settings})
    assert not np.any(found.status), found.message
    return found


def slopes(steps, errors):
    """Of errors over steps, from each to the next."""
    return np.diff(np.log(errors)) / np.diff(np.log(steps))


def ball(h0=1.0, e=0.8):
    """A ball of radius 0.1 m dropped with its lowest point at h0."""
    s = fm.System(gravity=(0.0, -G))
    body = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + np.asarray(h0)))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(e)))
    return s


def slope(mu=0.3, angle=np.pi / 6, speed=2.0):
    """A block on an incline, x up the slope, that starts with a speed up the slope."""
    s = fm.System(gravity=(-G * np.sin(angle), -G * np.cos(angle)))
    block = s.body("block", mass=1.0, inertia=HEAVY, position=(0.0, 0.1), velocity=(speed, 0.0))
    s.add(fm.DiscPlane("floor", block.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(friction=mu)))
    return s


def oscillator(x0=5.3):
    """Mass 1 on a floor with friction force 1, on a spring of stiffness 1, released at x0."""
    s = fm.System(gravity=(0.0, -1.0))
    block = s.body("block", mass=1.0, inertia=HEAVY, position=(x0, 0.1))
    s.add(fm.DiscPlane("floor", block.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(friction=1.0)))
    s.add(fm.Spring("spring", block.centre, s.ground.at(-10.0, 0.1), 1.0, length=10.0))
    return s


def belt(speed=0.5, mu=0.2, stiffness=4.0, mass=1.0):
    """A block at rest on a belt that runs at a constant speed, held by a spring that is free at x = 0."""
    s = fm.System(gravity=(0.0, -G))
    band = s.body("belt", mass=1.0, inertia=1.0, velocity=(speed, 0.0))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), band.centre))
    s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), band.centre, fm.ConstantSpeed(speed)))
    block = s.body("block", mass=mass, inertia=HEAVY, position=(0.0, 0.1))
    s.add(fm.DiscPlane("touch", block.centre, band.centre, 0.1, fm.Impenetrable(friction=mu)))
    s.add(fm.Spring("spring", block.centre, s.ground.at(-10.0, 0.1), stiffness, length=10.0))
    return s


def rocking(angle=0.1, half_width=0.1, half_height=0.4, mu=1.0):
    """A uniform rectangular block of 1 kg, tilted clockwise about its right lower corner, let go."""
    radius, x, y = np.hypot(half_width, half_height), half_width, -half_height
    c, n = np.cos(angle), np.sin(angle)
    centre = half_width - (c * x + n * y), TIP - (c * y - n * x)
    s = fm.System(gravity=(0.0, -G))
    block = s.body("block", mass=1.0, inertia=radius**2 / 3.0, position=centre, angle=-np.asarray(angle))
    for name, x in (("left", -half_width), ("right", half_width)):
        s.add(fm.DiscPlane(name, block.at(x, -half_height), s.ground.at(0.0, 0.0), TIP, fm.Impenetrable(friction=mu)))
    return s


CRANK = {"l1": 0.153, "l2": 0.306, "m1": 0.038, "m2": 0.038, "m3": 0.076, "j1": 7.4e-5, "j2": 5.9e-4, "j3": 2.7e-6, "c": 0.001}


def slider_crank(e=0.4, mu=0.01, stiffness=None):
    """Slider-crank whose slider has clearance in its guide (Flores, Leine, Glocker 2010, Multibody Syst. Dyn. 23, 165-190)."""
    l1, l2, rate = CRANK["l1"], CRANK["l2"], 150.0
    s = fm.System(gravity=(0.0, -G))
    points = {"O": (-l1 / 2, 0.0), "A": (l1 / 2, 0.0)}
    crank = s.body(
        "crank", mass=CRANK["m1"], inertia=CRANK["j1"], position=(l1 / 2, 0.0), rate=rate, velocity=(0.0, rate * l1 / 2), points=points
    )
    points = {"A": (-l2 / 2, 0.0), "B": (l2 / 2, 0.0)}
    upwards = rate * l1 - rate / 2 * l2 / 2
    rod = s.body(
        "rod", mass=CRANK["m2"], inertia=CRANK["j2"], position=(l1 + l2 / 2, 0.0), rate=-rate / 2, velocity=(0.0, upwards), points=points
    )
    slider = s.body("slider", mass=CRANK["m3"], inertia=CRANK["j3"], position=(l1 + l2, 0.0))
    s.add(fm.Revolute("O", crank["O"], s.ground.at(0.0, 0.0)))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    law, rubs = fm.Impenetrable(e, friction=mu), None
    if stiffness is not None:
        law, rubs = fm.LankaraniNikravesh(stiffness, restitution=e, calibrated=True), fm.Ambrosio(mu, v0=1e-4, v1=1e-3)
    s.add(fm.ClearanceTranslational("guide", slider.centre, s.ground.at(0.0, 0.0), CRANK["c"], 0.1, 0.05, law, rubs))
    return s


TOY = {
    "mM": 0.0003, "JM": 5e-9, "mS": 0.0045, "JS": 7e-7, "c": 0.0056, "r0": 0.0025, "rM": 0.0031, "hM": 0.0058, "lM": 0.010, "lG": 0.015,
    "hS": 0.02, "lS": 0.0201, "mu": 0.3, "e": (0.5, 0.0, 0.0), "q0": (0.0, -0.1036, -0.2788), "v0": (-0.3411, 0.0, -7.4583),
}  # fmt: skip


def toy_start():
    """Height of the sleeve, its angle and the woodpecker's, and their rates: the published start, but the sleeve's lower edge touches."""
    size, lean = np.hypot(TOY["rM"], TOY["hM"]), np.arctan2(TOY["rM"], TOY["hM"])
    y, _, b = TOY["q0"]
    return np.array([y, np.arcsin(TOY["r0"] / size) - lean, b]), np.array(TOY["v0"])


def woodpecker():
    """Woodpecker toy on a pole of radius r0, angles of any size (data of Glocker and Studer 2005, Multibody Syst. Dyn. 13, 447-463).

    The sleeve keeps to the pole's middle line; a torsion spring joins it to the woodpecker.  Beak and the sleeve's lower and upper inner
    edge can touch the pole's side x = r0.
    """
    (y, a, b), (vy, wa, wb) = toy_start()
    s = fm.System(gravity=(0.0, -G))
    sleeve = s.body("sleeve", mass=TOY["mM"], inertia=TOY["JM"], position=(0.0, y), angle=a, velocity=(0.0, vy), rate=wa)
    pivot = np.array([TOY["lM"] * np.cos(a), y + TOY["lM"] * np.sin(a)])
    pace = np.array([-TOY["lM"] * np.sin(a) * wa, vy + TOY["lM"] * np.cos(a) * wa])
    arm = TOY["lG"] * np.array([np.cos(b), np.sin(b)])
    bird = s.body(
        "bird", mass=TOY["mS"], inertia=TOY["JS"], position=tuple(pivot + arm), angle=b,
        velocity=tuple(pace + wb * np.array([-arm[1], arm[0]])), rate=wb, points={"P": (-TOY["lG"], 0.0)},
    )  # fmt: skip
    s.add(fm.RevoluteTranslational("pole", s.ground.at(0.0, 0.0), sleeve.centre, axis=(0.0, 1.0)))
    s.add(fm.Revolute("pivot", sleeve.at(TOY["lM"], 0.0), bird["P"]))
    s.add(fm.TorsionSpring("spring", sleeve, bird, TOY["c"]))
    side, places = (
        s.ground.at(TOY["r0"] - TIP, 0.0),
        (bird.at(-TOY["lS"], TOY["hS"]), *(sleeve.at(TOY["rM"], z * TOY["hM"]) for z in (-1, 1))),
    )
    for name, place, e in zip(("beak", "lower", "upper"), places, TOY["e"], strict=True):
        s.add(fm.DiscPlane(name, place, side, TIP, fm.Impenetrable(e, friction=TOY["mu"]), normal=(1.0, 0.0)))
    return s


def row_of_discs(count, gap=0.0, e=1.0, masses=None, speed=1.0):
    """Discs of radius 1/8 m, so that gaps of zero are exact, in a row, the first one moving towards the others, without gravity."""
    s, masses = fm.System(), [1.0] * count if masses is None else masses
    discs = []
    for k, m in enumerate(masses):
        start = {"velocity": (speed, 0.0)} if k == 0 else {}
        discs.append(s.body(f"disc{k}", mass=m, inertia=0.01 * m, position=(k * (0.25 + gap), 0.0), **start))
    for k in range(count - 1):
        s.add(fm.DiscDisc(f"touch{k}", discs[k].centre, discs[k + 1].centre, 0.125, 0.125, fm.Impenetrable(e)))
    return s


def disc(mu=0.2, speed=2.0, rate=0.0, inertia=0.5, radius=0.1, rolling=None):
    """A disc (inertia times mass and radius squared) that starts on a floor, sliding."""
    s = fm.System(gravity=(0.0, -G))
    start = {"position": (0.0, radius), "velocity": (speed, 0.0), "rate": rate}
    body = s.body("disc", mass=2.0, inertia=inertia * 2.0 * radius**2, **start)
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), radius, fm.Impenetrable(friction=mu, rolling=rolling)))
    return s


def sphere(mu=0.2, velocity=(1.2, 1.6), spin=(0.0, 0.0, 0.0), radius=0.1, rolling=None, pivoting=None):
    """A solid sphere that starts on a floor z = 0."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    start = {"position": (0.0, 0.0, radius), "velocity": (*velocity, 0.0), "angular_velocity": spin}
    body = s.body("sphere", mass=2.0, inertia=(0.4 * 2.0 * radius**2,) * 3, **start)
    law = fm.Impenetrable(friction=mu, rolling=rolling, pivoting=pivoting)
    s.add(fm.SpherePlane("floor", body.centre, s.ground.at(0.0, 0.0, 0.0), radius, law))
    return s


def cube(mu=0.3, angle=np.pi / 6, order=(0, 1, 2, 3), corners=((-1, -1), (1, -1), (1, 1), (-1, 1)), half=0.1, speed=0.0):
    """A cube on an incline, x up the slope, on corners of its lower face; `order` is that of the contacts."""
    s = fm.System(gravity=(-G * np.sin(angle), 0.0, -G * np.cos(angle)))
    start = {"position": (0.0, 0.0, half + TIP), "velocity": (speed, 0.0, 0.0)}
    body = s.body("cube", mass=1.0, inertia=(2.0 * half**2 / 3.0,) * 3, **start)
    for k in order:
        place = body.at(*(half * x for x in corners[k]), -half)
        s.add(fm.SpherePlane(f"corner{k}", place, s.ground.at(0.0, 0.0, 0.0), TIP, fm.Impenetrable(friction=mu)))
    return s


def rod(mu=0.3, angle=1.0, speed=5.0, rate=0.0, half=0.5, e=0.0):
    """A uniform rod of 1 kg whose lower end slides along a rough floor; its other end lies at `angle` from the floor, ahead (speed > 0).

    The lower end has no normal velocity.
    """
    s = fm.System(gravity=(0.0, -G))
    c, n = np.cos(angle), np.sin(angle)
    start = {"position": (half * c, TIP + half * n), "velocity": (speed, half * rate * c), "angle": angle, "rate": rate}
    body = s.body("rod", mass=1.0, inertia=half**2 / 3.0, **start, points={"tip": (-half, 0.0)})
    s.add(fm.DiscPlane("floor", body["tip"], s.ground.at(0.0, 0.0), TIP, fm.Impenetrable(e, friction=mu)))
    return s


def thrown(x=0.0, y=0.3, vx=1.0, vy=0.0, e=0.5, mu=0.3, slope=0.3, turn=0.0, m=1.0, kg=1.0, s=1.0):
    """A block thrown over an incline; the whole model turned by an angle, and in units of which m, kg and s make an SI unit."""

    def placed(a, b):
        return np.cos(turn) * a - np.sin(turn) * b, np.sin(turn) * a + np.cos(turn) * b

    def scaled(pair, size):
        return tuple(size * p for p in placed(*pair))

    system = fm.System(gravity=scaled((-G * np.sin(slope), -G * np.cos(slope)), m / s**2))
    start = {"position": scaled((x, 0.1 + y), m), "velocity": scaled((vx, vy), m / s)}
    block = system.body("block", mass=kg * np.ones_like(x), inertia=HEAVY * kg * m**2, **start)
    floor = system.ground.at(0.0, 0.0)
    system.add(fm.DiscPlane("floor", block.centre, floor, 0.1 * m, fm.Impenetrable(e, friction=mu), normal=placed(0.0, 1.0)))
    return system


def tumbling(angle=0.4, rate=3.0, vx=1.0, vy=-1.0, e=0.5, mu=0.3, half_width=0.1, half_height=0.15):
    """A rectangular box of 1 kg that falls on a floor; each of its corners can touch."""
    s = fm.System(gravity=(0.0, -G))
    inertia = (half_width**2 + half_height**2) / 3.0
    box = s.body("box", mass=1.0, inertia=inertia, position=(0.0, 0.5), angle=angle, velocity=(vx, vy), rate=rate)
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        place = box.at(x * half_width, y * half_height)
        s.add(fm.DiscPlane(f"corner{k}", place, s.ground.at(0.0, 0.0), TIP, fm.Impenetrable(e, friction=mu)))
    return s
