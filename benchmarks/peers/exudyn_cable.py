"""A pendulum of ANCF cables in Exudyn, as its users would write it; prints one JSON object, for `flexible_peers.py`.

`ObjectANCFCable2D` with its reduced integration, generalized-alpha with spectral radius 0.9, modified Newton, the dense solver up to 8
elements and the sparse one beyond, one thread, the module without range checks.
"""

import argparse
import itertools
import json
import sys
import time
import warnings

sys.exudynFast = True
warnings.simplefilter("ignore")


def pendulum(elements, step, steps, modulus):
    """Seconds of the solver, tip position, whether it came to the end, and Newton iterations."""
    import exudyn as exu
    from exudyn import itemInterface as item

    length, area, second, density = 1.2, 0.0018, 1.215e-8, 5540.0
    mbs = exu.SystemContainer().AddSystem()
    part = length / elements
    nodes = [mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=[part * k, 0, 1, 0])) for k in range(elements + 1)]
    for pair in itertools.pairwise(nodes):
        cable = item.ObjectANCFCable2D(
            physicsLength=part, physicsMassPerLength=density * area, physicsBendingStiffness=modulus * second,
            physicsAxialStiffness=modulus * area, nodeNumbers=list(pair), useReducedOrderIntegration=1,
        )  # fmt: skip
        marker = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=mbs.AddObject(cable)))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0))
    for k in range(2):
        marker = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        mbs.AddObject(item.CoordinateConstraint(markerNumbers=[ground, marker]))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    time_ = settings.timeIntegration
    time_.numberOfSteps, time_.endTime, time_.verboseMode = steps, step * steps, 0
    time_.newton.useModifiedNewton, time_.generalizedAlpha.spectralRadius = True, 0.9
    time_.newton.relativeTolerance, time_.newton.absoluteTolerance = 1e-8, 1e-10
    solver = exu.LinearSolverType
    settings.linearSolverType = solver.EXUdense if elements <= 8 else solver.EigenSparse
    settings.parallel.numberOfThreads = 1
    run = exu.MainSolverImplicitSecondOrder()
    start = time.perf_counter()
    done = run.SolveSystem(mbs, settings)
    seconds = time.perf_counter() - start
    tip = mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)
    return seconds, float(tip[0]), float(tip[1]), bool(done), int(run.it.newtonStepsCount)


def main():
    """Run for every step size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, required=True)
    parser.add_argument("--end", type=float, required=True)
    parser.add_argument("--modulus", type=float, default=0.7e6)
    parser.add_argument("--step", type=float, nargs="+", required=True)
    options = parser.parse_args()
    found = [[step, *pendulum(options.elements, step, round(options.end / step), options.modulus)] for step in options.step]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
