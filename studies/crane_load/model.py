"""A crane's load swings after its trolley has stopped: hoist rope with hook block, sling and load, in a plane."""

import flexmbd as fm

ROPE, LINE_MASS, BLOCK = 12.0, 6.0, 350.0  # m, kg/m, kg
HEIGHT, WIDTH = 1.2, 2.4  # of the load, m


def crane(sling=2.5, load=2000.0, speed=0.8):
    """Everything moves with the trolley's speed until this stops, at t = 0; the rope then turns about the trolley.

    Parameters
    ----------
    sling : float or ndarray
        Height of the sling, from the hook to the top of the load, m; stiff, without mass.
    load : float or ndarray
        Mass of the load, an even box, kg.
    speed : float or ndarray
        Of the trolley before it stops, m/s.
    """
    s = fm.System(gravity=(0.0, -9.81))
    rope = LINE_MASS * ROPE
    mass, centre = rope + BLOCK, (0.5 * rope + BLOCK) * ROPE / (rope + BLOCK)
    inertia = rope * (ROPE**2 / 12.0 + (centre - 0.5 * ROPE) ** 2) + BLOCK * (ROPE - centre) ** 2
    points = {"top": (0.0, centre), "hook": (0.0, centre - ROPE)}
    moves = {"rate": speed / ROPE, "velocity": (speed * centre / ROPE, 0.0)}  # the hook and the load go on as they were
    hoist = s.body("hoist", mass=mass, inertia=inertia, position=(0.0, -centre), points=points, **moves)
    arm = sling + 0.5 * HEIGHT
    box = load * (HEIGHT**2 + WIDTH**2) / 12.0
    hung = s.body("load", mass=load, inertia=box, position=(0.0, -ROPE - arm), velocity=(speed, 0.0), rate=0.0, points={"eye": (0.0, arm)})
    s.add(fm.Revolute("trolley", s.ground.at(0.0, 0.0), hoist["top"]))
    s.add(fm.Revolute("hook", hoist["hook"], hung["eye"]))
    return s
