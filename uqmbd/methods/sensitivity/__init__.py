"""Which inputs matter, and by how much: the method `sensitivity`, each approach named once."""

from uqmbd.methods.sensitivity.derivative import Derivative
from uqmbd.methods.sensitivity.estimates import Delta, Dgsm, Fast, Hdmr, Morris, Pawn, RbdFast
from uqmbd.methods.sensitivity.settings import Sensitivity
from uqmbd.methods.sensitivity.shapley import Shapley
from uqmbd.methods.sensitivity.sobol import Sobol
from uqmbd.methods.sensitivity.width import Width

APPROACHES = Sensitivity.take(Sobol, Morris, Fast, RbdFast, Delta, Dgsm, Pawn, Hdmr, Shapley, Derivative, Width)
