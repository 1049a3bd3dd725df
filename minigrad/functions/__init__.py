"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from minigrad.functions import (
    conversion,
    grids,
    indexing,
    joining,
    products,
    reduction,
    shaping,
)
from minigrad.functions.conversion import *
from minigrad.functions.grids import *
from minigrad.functions.indexing import *
from minigrad.functions.joining import *
from minigrad.functions.products import *
from minigrad.functions.reduction import *
from minigrad.functions.shaping import *

__all__: list[str] = []
__all__ += conversion.__all__
__all__ += grids.__all__
__all__ += indexing.__all__
__all__ += joining.__all__
__all__ += products.__all__
__all__ += reduction.__all__
__all__ += shaping.__all__
