"""The layers: modules that hold their parameters."""

# ruff: noqa: F403  # each file lists its layers

from minigrad.nn.modules.activation import *
from minigrad.nn.modules.batchnorm import *
from minigrad.nn.modules.container import *
from minigrad.nn.modules.conv import *
from minigrad.nn.modules.distance import *
from minigrad.nn.modules.dropout import *
from minigrad.nn.modules.flatten import *
from minigrad.nn.modules.lazy import *
from minigrad.nn.modules.linear import *
from minigrad.nn.modules.loss import *
from minigrad.nn.modules.module import *
from minigrad.nn.modules.normalization import *
from minigrad.nn.modules.pooling import *
from minigrad.nn.modules.rnn import *
from minigrad.nn.modules.sparse import *
from minigrad.nn.modules.transformer import *

# Said to Python only: type checkers take all names that are imported with a star.
globals().update(__all__=[name for name, each in globals().items() if isinstance(each, type)])
