"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from minigrad.functions import (
    products,
)
from minigrad.functions.products import *

__all__: list[str] = []
__all__ += products.__all__
