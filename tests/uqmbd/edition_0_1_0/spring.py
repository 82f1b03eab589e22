from parameters import MASS


def model(a, b, time):
    def inner(x: float) -> float:
        return MASS * x

    return {"h": inner(a) + b * time, "y": inner(a) + 2 * b, "z": a - b}
