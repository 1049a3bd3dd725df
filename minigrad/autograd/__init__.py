"""The tape: what is recorded of a computation, and the backward walk over it.

It knows no operator: those are in `minigrad.ops`, one class each.  For `loss = (x * x).sum()` the graph is

    loss  ->  Sum  ->  Mul  ->  x, twice: Mul has an edge for each of its two inputs

and the walk hands 1 to Sum, which hands a 1 for each element to Mul, which hands `1 * x` to x along both of its
edges.  They add up to `2 * x`, the gradient.
"""

from minigrad.autograd import function, functional
from minigrad.autograd.anomaly import detect_anomaly, set_detect_anomaly
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.autograd.variable import Variable
from minigrad.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from minigrad.core.walk import backward, grad

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad", "gradcheck",
    "gradgradcheck", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
