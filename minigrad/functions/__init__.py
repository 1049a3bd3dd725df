"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from minigrad.functions import (
    arithmetic,
    comparison,
    conversion,
    grids,
    indexing,
    joining,
    products,
    reduction,
    selecting,
    shaping,
    sorting,
)
from minigrad.functions.arithmetic import *
from minigrad.functions.comparison import *
from minigrad.functions.conversion import *
from minigrad.functions.grids import *
from minigrad.functions.indexing import *
from minigrad.functions.joining import *
from minigrad.functions.products import *
from minigrad.functions.reduction import *
from minigrad.functions.selecting import *
from minigrad.functions.shaping import *
from minigrad.functions.sorting import *

__all__: list[str] = []
__all__ += arithmetic.__all__
__all__ += comparison.__all__
__all__ += conversion.__all__
__all__ += grids.__all__
__all__ += indexing.__all__
__all__ += joining.__all__
__all__ += products.__all__
__all__ += reduction.__all__
__all__ += selecting.__all__
__all__ += shaping.__all__
__all__ += sorting.__all__
