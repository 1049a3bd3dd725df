"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from minigrad.functions import (
    products,
    reduction,
)
from minigrad.functions.products import *
from minigrad.functions.reduction import *

__all__: list[str] = []
__all__ += products.__all__
__all__ += reduction.__all__
