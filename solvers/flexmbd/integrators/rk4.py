"""The classical Runge-Kutta method of order 4, at a fixed step."""

from flexmbd.integrators.explicit import runge_kutta

CLASSICAL = [[], [1 / 2], [0, 1 / 2], [0, 0, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]
RK4 = runge_kutta("rk4", 4, CLASSICAL)
