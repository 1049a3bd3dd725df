"""Layers: modules that hold their parameters, and the same computations as functions."""

from minigrad.nn import functional, init
from minigrad.nn.modules.embedding import Embedding, EmbeddingBag
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag", "Linear", "Module", "Parameter", "functional", "init"]
