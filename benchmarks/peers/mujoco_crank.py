"""The clearance slider-crank in MuJoCo, as its users would write it; prints one JSON object, for `clearance_crank_peers.py`.

MuJoCo has no contact of a pin in a bearing, so the law (Lankarani and Nikravesh at a fixed impact velocity of 1 m/s, no friction) is
Python over tree coordinates: two hinges and a slide. A huge armature keeps the crank's speed. By --variant,

euler
    MuJoCo's default, first order: the law is evaluated before each step and applied as a generalised force
rk4
    classical Runge-Kutta: the law is MuJoCo's callback of passive forces, so that each of the four stages gets its own
"""

import argparse
import json
import math
import time

CRANK, ROD, BEARING, SPEED = 0.05, 0.12, 10e-3, 5000 * 2 * math.pi / 60
IMPACT_VELOCITY = 1.0
XML = """<mujoco><option timestep="{step!r}" gravity="0 0 0" integrator="{integrator}"><flag contact="disable"/></option><worldbody>
<body name="crank"><joint name="O" type="hinge" axis="0 0 1" armature="1e4"/>
  <inertial pos="{half_crank} 0 0" mass="0.3" diaginertia="1e-5 1e-5 1e-5"/>
  <body name="rod" pos="{crank} 0 0"><joint name="A" type="hinge" axis="0 0 1"/>
    <inertial pos="{half_rod} 0 0" mass="0.21" diaginertia="2.5e-4 2.5e-4 2.5e-4"/></body></body>
<body name="slider" pos="{reach} 0 0"><joint name="guide" type="slide" axis="1 0 0"/>
  <inertial pos="0 0 0" mass="0.14" diaginertia="1e-4 1e-4 1e-4"/></body>
</worldbody></mujoco>"""


def law_of(data, out, clearance, restitution):
    """A function that writes the generalised force of the contact at the present state into `out`."""
    sqrt, cos, sin, reach = math.sqrt, math.cos, math.sin, CRANK + ROD
    stiffness = 4 / (6 * (1 - 0.3**2) / 207e9) * sqrt(BEARING * (BEARING - clearance) / clearance)
    damping = 0.75 * (1 - restitution**2) / IMPACT_VELOCITY
    q, v = data.qpos, data.qvel

    def law():
        a = q[0]
        b = a + q[1]
        xa, ya, xb, yb = CRANK * cos(a), CRANK * sin(a), ROD * cos(b), ROD * sin(b)
        ex, ey = xa + xb - reach - q[2], ya + yb
        r = sqrt(ex * ex + ey * ey)
        depth = r - clearance
        if depth > 0:
            w = v[0]
            u = w + v[1]
            rate = (ex * (-ya * w - yb * u - v[2]) + ey * (xa * w + xb * u)) / r
            f = stiffness * depth * sqrt(depth) * (1 + damping * rate) / r
            fx, fy = -f * ex, -f * ey
            moment = xb * fy - yb * fx
            out[0] = moment - ya * fx + xa * fy
            out[1] = moment
            out[2] = -fx
        else:
            out[0] = out[1] = out[2] = 0.0

    return law


def run(variant, step, turns, clearance, restitution):
    """Seconds of the stepping, and final velocity of the slider in m/s."""
    import mujoco

    sizes = {"half_crank": CRANK / 2, "crank": CRANK, "half_rod": ROD / 2, "reach": CRANK + ROD}
    model = mujoco.MjModel.from_xml_string(XML.format(step=step, integrator={"euler": "Euler", "rk4": "RK4"}[variant], **sizes))
    data = mujoco.MjData(model)
    data.qvel[0], data.qvel[1] = SPEED, -SPEED * CRANK / ROD - SPEED
    steps = round(turns * 2 * math.pi / SPEED / step)
    if variant == "euler":
        law, advance = law_of(data, data.qfrc_applied, clearance, restitution), mujoco.mj_step
        start = time.perf_counter()
        for _ in range(steps):
            law()
            advance(model, data)
        return time.perf_counter() - start, float(data.qvel[2])
    law = law_of(data, data.qfrc_passive, clearance, restitution)
    mujoco.set_mjcb_passive(lambda model, data: law())
    try:
        start = time.perf_counter()
        mujoco.mj_step(model, data, steps)
        return time.perf_counter() - start, float(data.qvel[2])
    finally:
        mujoco.set_mjcb_passive(None)


def main():
    """Run every step asked for; one JSON object, variant to list of [step, seconds, velocity]."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--variant", nargs="+", default=["euler", "rk4"])
    parser.add_argument("--step", type=float, nargs="+", default=[1e-6])
    parser.add_argument("--turns", type=float, default=0.25)
    parser.add_argument("--clearance", type=float, default=0.5e-3)
    parser.add_argument("--restitution", type=float, default=0.9)
    options = parser.parse_args()
    found = {
        variant: [[step, *run(variant, step, options.turns, options.clearance, options.restitution)] for step in options.step]
        for variant in options.variant
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
