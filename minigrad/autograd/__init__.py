"""The tape: what is recorded of a computation, and the backward walk over it.

It knows no operator: those are in `minigrad.ops`, one class each.
"""

from minigrad.autograd.engine import backward, grad
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled

__all__ = ["backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
