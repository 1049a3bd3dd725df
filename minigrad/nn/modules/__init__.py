"""The layers: modules that hold their parameters."""

# ruff: noqa: F403  # each file lists its layers

from minigrad.nn.modules.activation import *
from minigrad.nn.modules.container import *
from minigrad.nn.modules.conv import *
from minigrad.nn.modules.lazy import *
from minigrad.nn.modules.linear import *
from minigrad.nn.modules.loss import *
from minigrad.nn.modules.module import *
from minigrad.nn.modules.normalization import *
from minigrad.nn.modules.pooling import *
from minigrad.nn.modules.rnn import *
from minigrad.nn.modules.transformer import *
from minigrad.tensors.errors import at_home

# Said to Python only: type checkers take all names that are imported with a star.
globals().update(__all__=[name for name, each in globals().items() if isinstance(each, type)])
at_home(
    __name__,
    batchnorm="BatchNorm1d BatchNorm2d BatchNorm3d",
    distance="CosineSimilarity",
    dropout="Dropout Dropout2d",
    flatten="Flatten",
    fold="Fold Unfold",
    instancenorm="InstanceNorm2d",
    padding="ConstantPad1d ConstantPad2d ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d ZeroPad2d",
    pixelshuffle="PixelShuffle",
    sparse="Embedding EmbeddingBag",
    upsampling="Upsample UpsamplingBilinear2d UpsamplingNearest2d",
)
