"""Checks for code of your own: whether it is an embedding, and whether the gradients of an operation are right.

`check_lookup` runs the laws of a lookup on an embedding, written by hand in NumPy or with tensors, and `check_op` those
of a differentiable operation on a function of tensors.  Both look for the smallest example on which a law is broken.
`LOOKUP_LAWS` and `OP_LAWS` list the laws.

The strategies are those that minigrad's own tests draw from, for tests with Hypothesis: `arrays`, `shapes`,
`broadcastable_shapes`, `cotangents`, `ids`, `tables`.

This package needs Hypothesis, and is the only one that does: `python -m pip install -e '.[checks]'`.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("hypothesis") is None:
    raise ImportError("minigrad.checks needs Hypothesis: python -m pip install -e '.[checks]'", name="hypothesis")

from minigrad.checks.laws import OP_LAWS, Law, check_op
from minigrad.checks.lookup import LOOKUP_LAWS, check_lookup
from minigrad.checks.strategies import arrays, broadcastable_shapes, cotangents, ids, shapes, tables

__all__ = [
    "LOOKUP_LAWS", "OP_LAWS", "Law", "arrays", "broadcastable_shapes", "check_lookup", "check_op", "cotangents", "ids",
    "shapes", "tables",
]  # fmt: skip
