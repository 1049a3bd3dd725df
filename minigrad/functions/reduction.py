"""Softmax and its like as functions."""

from __future__ import annotations

from minigrad.methods.forms import free
from minigrad.tensor import Tensor

__all__ = ["log_softmax", "logsumexp", "softmax"]

logsumexp = free(Tensor.logsumexp)
softmax = free(Tensor.softmax)
log_softmax = free(Tensor.log_softmax)
