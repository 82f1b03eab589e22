"""Dormand and Prince's embedded pair of orders 5 and 4 (J. Comput. Appl. Math. 6 (1980) 19-26)."""

from flexmbd.integrators.explicit import runge_kutta

ROWS = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
]
ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]
DORMAND_PRINCE = runge_kutta("dormand_prince", 5, ROWS, ERROR)
