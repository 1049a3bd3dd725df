"""The layers as functions: of their input and of the parameters that a module would hold.

They are in `minigrad.ops`, and nothing else is to be seen here.
"""

from minigrad.declare import declared
from minigrad.ops import activations, convolution, embedding, losses, norms, pooling
from minigrad.tensors.errors import advised

# Each of these has declared its own.
del activations, convolution, embedding, losses, norms, pooling

__all__ = sorted(declared["nn.functional"])
globals().update(declared["nn.functional"])
globals().update(advised(__name__, __all__))
del advised, declared
