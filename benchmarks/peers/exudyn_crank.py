"""The clearance slider-crank in Exudyn, as its users would write it; prints one JSON object, for `clearance_crank_peers.py`.

Crank, rod and slider are rigid bodies in plane coordinates with ideal joints; the clearance joint between rod and slider is, by --variant,

builtin
    Exudyn's own contact of a sphere in a hollow sphere, with its restitution model, all in C++
symbolic
    Lankarani and Nikravesh at a fixed impact velocity of 1 m/s, an expression that C++ evaluates
python
    the same as a Python function

without friction. Implicit generalized-alpha with a modified Newton, dense solver, one thread, the module without range checks.
"""

import argparse
import json
import math
import sys
import time
import warnings

sys.exudynFast = True
warnings.simplefilter("ignore")
CRANK, ROD, BEARING, SPEED = 0.05, 0.12, 10e-3, 5000 * 2 * math.pi / 60
IMPACT_VELOCITY = 1.0


def contact(mbs, variant, rod, slider, clearance, restitution):
    """Add the clearance joint between the ends `(body, position)` of rod and slider."""
    import exudyn as exu
    from exudyn import itemInterface as items

    journal = BEARING - clearance
    stiffness = 4 / (6 * (1 - 0.3**2) / 207e9) * math.sqrt(BEARING * journal / clearance)
    if variant == "builtin":
        state = mbs.AddNode(items.NodeGenericData(initialCoordinates=[clearance, 0, 0, 0], numberOfDataCoordinates=4))
        ends = [mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0])) for body, x in (rod, slider)]
        settings = {"contactStiffness": stiffness, "contactStiffnessExponent": 1.5, "restitutionCoefficient": restitution}
        settings |= {"minimumImpactVelocity": 1e-3, "impactModel": 1, "dynamicFriction": 0.0, "frictionProportionalZone": 1e-3}
        mbs.AddObject(
            items.ObjectContactSphereSphere(
                markerNumbers=ends, nodeNumber=state, spheresRadii=[journal, BEARING], isHollowSphere1=True, **settings
            )
        )
        return
    damping = 0.75 * (1 - restitution**2) / IMPACT_VELOCITY
    symbolic = exu.symbolic

    def law(mbs, t, item, u, v, k, d, offset):
        r = math.sqrt(u[0] * u[0] + u[1] * u[1])
        if r <= clearance:
            return [0.0, 0.0, 0.0]
        f = stiffness * (r - clearance) ** 1.5 * (1 + damping * (u[0] * v[0] + u[1] * v[1]) / r) / r
        return [f * u[0], f * u[1], 0.0]

    def expression(mbs, t, item, u, v, k, d, offset):
        number = symbolic.Real
        r = symbolic.sqrt(u[0] * u[0] + u[1] * u[1] + number(1e-30))
        depth = symbolic.max(r - number(clearance), number(0.0))
        rate = (u[0] * v[0] + u[1] * v[1]) / r
        f = number(stiffness) * depth * symbolic.sqrt(depth) * (number(1.0) + number(damping) * rate) / r
        return symbolic.Vector([f * u[0], f * u[1], number(0.0)])

    ends = [mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0])) for body, x in (slider, rod)]
    function = law if variant == "python" else 0
    none = {"stiffness": [0, 0, 0], "damping": [0, 0, 0]}
    spring = mbs.AddObject(items.ObjectConnectorCartesianSpringDamper(markerNumbers=ends, springForceUserFunction=function, **none))
    if variant == "symbolic":
        from exudyn.utilities import CreateSymbolicUserFunction

        made = CreateSymbolicUserFunction(mbs, expression, "springForceUserFunction", spring)
        mbs.SetObjectParameter(spring, "springForceUserFunction", made)


def run(variant, step, turns, clearance, restitution):
    """Seconds of the solver, and final velocity of the slider in m/s (None if Newton failed)."""
    import exudyn as exu
    from exudyn import itemInterface as items

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    swing = -SPEED * CRANK / ROD
    places = ([CRANK / 2, 0, 0], [CRANK + ROD / 2, 0, 0], [CRANK + ROD, 0, 0])
    speeds = ([0, SPEED * CRANK / 2, SPEED], [0, SPEED * CRANK + swing * ROD / 2, swing], [0, 0, 0])
    nodes = [mbs.AddNode(items.Rigid2D(referenceCoordinates=x, initialVelocities=v)) for x, v in zip(places, speeds)]
    masses = ((0.30, 1.0e-5), (0.21, 2.5e-4), (0.14, 1.0e-4))
    crank, rod, slider = (
        mbs.AddObject(items.ObjectRigidBody2D(physicsMass=m, physicsInertia=j, nodeNumber=node)) for (m, j), node in zip(masses, nodes)
    )

    def point(body, x):
        return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))

    def coordinate(node, k):
        return mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))

    pivot = point(mbs.AddObject(items.ObjectGround()), 0)
    still = coordinate(mbs.AddNode(items.NodePointGround()), 0)
    mbs.AddObject(items.RevoluteJoint2D(markerNumbers=[pivot, point(crank, -CRANK / 2)]))
    mbs.AddObject(items.RevoluteJoint2D(markerNumbers=[point(crank, CRANK / 2), point(rod, -ROD / 2)]))
    for k in (1, 2):
        mbs.AddObject(items.CoordinateConstraint(markerNumbers=[still, coordinate(nodes[2], k)]))
    mbs.AddObject(items.CoordinateConstraint(markerNumbers=[still, coordinate(nodes[0], 2)], velocityLevel=True, offset=SPEED))
    contact(mbs, variant, (rod, ROD / 2), (slider, 0.0), clearance, restitution)
    mbs.Assemble()
    end = turns * 2 * math.pi / SPEED
    settings = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    time_integration = settings.timeIntegration
    time_integration.numberOfSteps, time_integration.endTime, time_integration.verboseMode = round(end / step), end, 0
    time_integration.newton.useModifiedNewton = True
    time_integration.newton.relativeTolerance, time_integration.newton.absoluteTolerance = 1e-8, 1e-10
    time_integration.generalizedAlpha.spectralRadius = 0.9
    time_integration.discontinuous.useRecommendedStepSize = False
    settings.linearSolverType = exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    solver = exu.MainSolverImplicitSecondOrder()
    start = time.perf_counter()
    done = solver.SolveSystem(mbs, settings)
    seconds = time.perf_counter() - start
    return seconds, float(mbs.GetNodeOutput(nodes[2], exu.OutputVariableType.Velocity)[0]) if done else None


def main():
    """Run every step asked for; one JSON object, variant to list of [step, seconds, velocity]."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--variant", nargs="+", default=["builtin", "symbolic", "python"])
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
