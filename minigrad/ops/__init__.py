"""The operators, one class each, forward above backward, a family per file.

Forward computes on NumPy arrays; backward is written in tensor operations, so that gradients of gradients
need no further code.  Ops come in adjoint pairs where one's backward is the other's forward: Expand and
Sum, Slice and Put, Index and PutIndex, Lookup and ScatterAdd.
"""
