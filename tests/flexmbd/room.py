"""A ball in a room: many contacts, one body; shared by the tests of contacts and of lanes."""

import numpy as np

import flexmbd as fm

G, RADIUS, WIDTH = 9.81, 0.1, 1.0
OUTPUTS = ["ball.x", "ball.y", "ball.vx", "ball.vy", "floor.impacts", "left.impacts", "right.impacts", "ceiling.impacts", "energy.balance"]
AWAY = 1e3


def room(height=AWAY, vx=0.0, vy=0.0, ceiling=AWAY, restitution=1.0, gravity=G, stiffness=1e12, spring=0.0):
    """A ball, its lowest point at `height` over the floor, walls one metre apart, all of Gonthier's law; held by a spring."""
    s = fm.System(gravity=(0.0, -gravity))
    ball = s.body("ball", mass=1.0, inertia=4e-3, position=(0.5, RADIUS + height), velocity=(vx, vy))
    s.add(fm.Spring("rubber", s.ground.at(0.5, RADIUS), ball.centre, spring))
    law = fm.Gonthier(stiffness, restitution=restitution)
    for name, at, normal in (
        ("floor", (0.0, 0.0), (0.0, 1.0)),
        ("left", (0.0, 0.0), (1.0, 0.0)),
        ("right", (WIDTH, 0.0), (-1.0, 0.0)),
        ("ceiling", (0.0, 2 * RADIUS + ceiling), (0.0, -1.0)),
    ):
        s.add(fm.DiscPlane(name, ball.centre, s.ground.at(*at), RADIUS, law, normal=normal))
    return s


def numbers(**given):
    """Samples with the room's numbers, some of them given as one value or several."""
    usual = dict(height=AWAY, vx=0.0, vy=0.0, ceiling=AWAY, restitution=1.0, gravity=G, stiffness=1e12, spring=0.0)
    count = max(np.size(x) for x in given.values())
    return {k: np.broadcast_to(np.asarray(x, float), (count,)).copy() for k, x in {**usual, **given}.items()}
