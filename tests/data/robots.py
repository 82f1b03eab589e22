"""Write `robots.json`: three robots, some of their states, and the accelerations that Pinocchio's ``aba`` and MuJoCo give.

Both programs are needed (``pip install pin mujoco``), the project needs neither. The arm and the humanoid are those of Pinocchio's
``buildSampleModelManipulator`` and ``buildSampleModelHumanoid``, the latter with a tail (30 joints), all with masses and placements drawn
here; the quadruped is built here. A free body's velocities are those of its frame's origin, then its angular velocity, in its own frame.
"""

import json
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

AXES = {"JointModelRX": "x", "JointModelRY": "y", "JointModelRZ": "z", "JointModelFreeFlyer": "free"}
JOINTS = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ, "free": pin.JointModelFreeFlyer}


def quadruped():
    """Free trunk, four legs of three joints."""
    model = pin.Model()
    trunk = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "trunk")
    for leg in range(4):
        before = trunk
        for axis, place in (("x", (0.3 - 0.6 * (leg // 2), 0.15 - 0.3 * (leg % 2), 0.0)), ("y", (0.0, 0.08, 0.0)), ("y", (0.0, 0.0, -0.3))):
            before = model.addJoint(before, JOINTS[axis](), pin.SE3(np.eye(3), np.array(place)), f"leg{leg}_{model.njoints}")
    return model


def humanoid():
    """The sample, with a tail."""
    model = pin.buildSampleModelHumanoid()
    model.addJoint(1, pin.JointModelRZ(), pin.SE3.Identity(), "tail")
    return model


def drawn(model, rng):
    """Give a model masses, and placements that turn and shift."""
    for j in range(1, model.njoints):
        size = rng.uniform(0.1, 0.4, 3)
        mass = float(rng.uniform(0.5, 5.0))
        turn = pin.exp3(rng.normal(size=3))
        second = (
            turn
            @ np.diag(mass * np.array([size[1] ** 2 + size[2] ** 2, size[0] ** 2 + size[2] ** 2, size[0] ** 2 + size[1] ** 2]) / 12.0)
            @ turn.T
        )
        model.inertias[j] = pin.Inertia(mass, rng.uniform(-0.2, 0.2, 3), 0.5 * (second + second.T))
        place = model.jointPlacements[j]
        model.jointPlacements[j] = pin.SE3(pin.exp3(0.5 * rng.normal(size=3)), place.translation + rng.uniform(-0.05, 0.05, 3))


def links(model):
    """The model as data."""
    return [
        {
            "parent": model.parents[j] - 1,
            "joint": AXES[model.joints[j].shortname()],
            "rotation": model.jointPlacements[j].rotation.tolist(),
            "offset": model.jointPlacements[j].translation.tolist(),
            "mass": model.inertias[j].mass,
            "centre": model.inertias[j].lever.tolist(),
            "inertia": model.inertias[j].inertia.tolist(),
        }
        for j in range(1, model.njoints)
    ]


def mjcf(data, gravity):
    """MuJoCo's model of it."""
    children = {i: [k for k, other in enumerate(data) if other["parent"] == i] for i in range(-1, len(data))}

    def numbers(values):
        return " ".join(repr(float(x)) for x in values)

    def body(i):
        link = data[i]
        quaternion = pin.Quaternion(np.array(link["rotation"]))
        m = np.array(link["inertia"])
        full = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
        axis = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}.get(link["joint"])
        joint = "<freejoint/>" if axis is None else f'<joint type="hinge" axis="{axis}"/>'
        place = f'pos="{numbers(link["offset"])}" quat="{numbers((quaternion.w, quaternion.x, quaternion.y, quaternion.z))}"'
        own = f'<inertial pos="{numbers(link["centre"])}" mass="{link["mass"]!r}" fullinertia="{numbers(full)}"/>'
        return f"<body {place}>{joint}{own}{''.join(body(k) for k in children[i])}</body>"

    bodies = "".join(body(i) for i in children[-1])
    return f'<mujoco><compiler angle="radian"/><option gravity="{numbers(gravity)}"/><worldbody>{bodies}</worldbody></mujoco>'


def by_mujoco(data, gravity, q, v, forces, free):
    """Accelerations in Pinocchio's velocities: MuJoCo's free bodies have the velocity of their origin in the frame of the world."""
    model = mujoco.MjModel.from_xml_string(mjcf(data, gravity))
    state = mujoco.MjData(model)
    places, speeds, loads = q.copy(), v.copy(), forces.copy()
    if free:
        first = pin.XYZQUATToSE3(q[:7])
        whole = pin.SE3(np.array(data[0]["rotation"]), np.array(data[0]["offset"])) * first
        turn, quaternion = whole.rotation, pin.Quaternion(whole.rotation)
        places[:7] = [*whole.translation, quaternion.w, quaternion.x, quaternion.y, quaternion.z]
        speeds[:3], loads[:3] = turn @ v[:3], turn @ forces[:3]
    state.qpos, state.qvel, state.qfrc_applied = places, speeds, loads
    mujoco.mj_forward(model, state)
    a = state.qacc.copy()
    if free:
        a[:3] = turn.T @ a[:3] - np.cross(v[3:6], v[:3])
    return a


def main():
    rng, found = np.random.default_rng(20160112), {}
    robots = {"arm": pin.buildSampleModelManipulator(), "quadruped": quadruped(), "humanoid": humanoid()}
    for name, model in robots.items():
        drawn(model, rng)
        gravity = np.array([0.3, -0.5, -9.7])
        model.gravity.linear = gravity
        data, states, free = links(model), [], model.joints[1].shortname() == "JointModelFreeFlyer"
        for _ in range(3):
            model.lowerPositionLimit, model.upperPositionLimit = np.full(model.nq, -2.0), np.full(model.nq, 2.0)
            q = pin.normalize(model, rng.uniform(-2.0, 2.0, model.nq))
            v, forces = rng.normal(size=model.nv), 5.0 * rng.normal(size=model.nv)
            a = pin.aba(model, model.createData(), q, v, forces)
            other = by_mujoco(data, gravity, q, v, forces, free)
            assert np.abs(a - other).max() < 1e-9 * np.abs(a).max(), (name, np.abs(a - other).max())
            found_state = {"q": q, "v": v, "forces": forces, "pinocchio": a, "mujoco": other}
            states.append({key: x.tolist() for key, x in found_state.items()})
        found[name] = {"gravity": gravity.tolist(), "links": data, "states": states}
    versions = {"pinocchio": pin.__version__, "mujoco": mujoco.__version__}
    Path(__file__).with_name("robots.json").write_text(json.dumps({"versions": versions, "robots": found}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
