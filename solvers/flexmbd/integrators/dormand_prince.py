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
# of order 4 in the middle of a step (Shampine 1986, Math. Comput. 46, 135-150)
MIDDLE = [
    6025192743 / 60171106304, 0, 51252292925 / 130801643196, -2691868925 / 90256659456, 187940372067 / 3189068634112,
    -1776094331 / 39487288512, 11237099 / 470086768,
]  # fmt: skip
DORMAND_PRINCE = runge_kutta("dormand_prince", 5, ROWS, ERROR, middle=tuple(MIDDLE))
