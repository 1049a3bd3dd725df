"""The layers: modules that hold their parameters."""

# ruff: noqa: F403  # each file lists its layers

from minigrad.nn.modules import activation, layer, loss, normalization, resizing
from minigrad.nn.modules.activation import *
from minigrad.nn.modules.container import *
from minigrad.nn.modules.conv import *
from minigrad.nn.modules.linear import *
from minigrad.nn.modules.loss import *
from minigrad.nn.modules.module import *
from minigrad.nn.modules.normalization import *
from minigrad.nn.modules.pooling import *
from minigrad.nn.modules.resizing import *
from minigrad.nn.modules.rnn import *
from minigrad.nn.modules.sparse import *
from minigrad.nn.modules.transformer import *
from minigrad.tensors.errors import add_module

# Said to Python only: type checkers take all names that are imported with a star.
globals().update(__all__=[name for name, each in globals().items() if isinstance(each, type)])

#: PyTorch's files whose layers stand in others here: from there programs import them, and so their types are printed.
_FILES = {
    "batchnorm": (normalization, "_BatchNorm BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d"),
    "distance": (loss, "CosineSimilarity"),
    "dropout": (activation, "_DropoutNd Dropout Dropout2d"),
    "flatten": (resizing, "Flatten"),
    "fold": (resizing, "Fold Unfold"),
    "instancenorm": (normalization, "InstanceNorm2d"),
    "lazy": (layer, "LazyModuleMixin"),
    "padding": (resizing, "ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d ZeroPad2d"),
    "pixelshuffle": (resizing, "PixelShuffle"),
    "upsampling": (resizing, "Upsample UpsamplingNearest2d"),
}
for _name, (_file, _layers) in _FILES.items():
    add_module(f"{__name__}.{_name}", *[getattr(_file, each) for each in _layers.split()])
