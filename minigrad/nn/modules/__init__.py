"""The layers: modules that hold their parameters."""

from minigrad.nn.modules import conv, pooling, resizing
from minigrad.nn.modules.activation import (
    ELU,
    GELU,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    MultiheadAttention,
    PReLU,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from minigrad.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm2d
from minigrad.nn.modules.container import DataParallel, ModuleDict, ModuleList, Sequential
from minigrad.nn.modules.conv import *  # noqa: F403
from minigrad.nn.modules.distance import CosineSimilarity
from minigrad.nn.modules.dropout import Dropout, Dropout2d
from minigrad.nn.modules.flatten import Flatten
from minigrad.nn.modules.lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose2d,
    LazyLinear,
)
from minigrad.nn.modules.linear import Identity, Linear
from minigrad.nn.modules.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import GroupNorm, LayerNorm, RMSNorm
from minigrad.nn.modules.pooling import *  # noqa: F403
from minigrad.nn.modules.resizing import *  # noqa: F403
from minigrad.nn.modules.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from minigrad.nn.modules.sparse import Embedding, EmbeddingBag
from minigrad.nn.modules.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "ELU", "GELU", "GRU", "LSTM", "RNN", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
    "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "DataParallel", "Dropout", "Dropout2d", "Embedding",
    "EmbeddingBag", "Flatten", "GRUCell", "GroupNorm", "Hardtanh", "Identity", "InstanceNorm2d", "KLDivLoss",
    "L1Loss", "LSTMCell", "LayerNorm", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose2d", "LazyLinear", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "MSELoss", "Module",
    "ModuleDict", "ModuleList", "MultiheadAttention",
    "NLLLoss", "PReLU", "RMSNorm", "RNNCell", "ReLU", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Transformer", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip
__all__ += conv.__all__ + pooling.__all__ + resizing.__all__
