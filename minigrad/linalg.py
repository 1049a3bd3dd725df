"""Norms, inverses and determinants of matrices `(*, N, N)`, and systems of equations: NumPy's, with gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigrad.core.dtypes import HALVES, Array, Number, dtype, float32, float64
from minigrad.core.ops import Clone, Reshape, sum_to
from minigrad.core.tape import Binary, Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import Dims, op
from minigrad.ops import reductions
from minigrad.tensors.errors import advised

__all__ = ["LinAlgError", "det", "inv", "norm", "solve"]
globals().update(advised(__name__, __all__))


class LinAlgError(RuntimeError):
    """A matrix is singular: it has no inverse."""


@op("linalg", kernel="linalg_norm")
def norm(
    A: Tensor,  # noqa: N803  # PyTorch's name
    ord: Number | str | None = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of a vector `sum(|x|**ord) ** (1/ord)`, over `dim` or all elements; of a matrix, the one of "fro".

    >>> import minigrad as torch
    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    dims = A.ndim if dim is None else len(dim) if isinstance(dim, Sequence) else 1
    if dims not in (1, 2) and (dim is not None or ord is not None):
        raise RuntimeError(f"linalg.norm: If dim or ord is specified, it is of 1 or 2 dimensions. Got {dims}")
    if ord not in (None, "fro") and dims == 2:
        raise NotImplementedError("linalg.norm: of norms of matrices, 'fro' is there; np.linalg.norm takes x.numpy()")
    return reductions.norm(A, 2 if ord is None else ord, dim, keepdim, dtype)


def _unless_singular(compute: Callable[..., Array], *arrays: Array) -> Array:
    """What `compute` makes of the arrays; a LinAlgError if a matrix is singular."""
    try:
        return compute(*arrays)
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg: the input matrix is singular: its columns depend on each other") from None


class LinalgInvEx(Unary):
    """The inverse of each matrix."""

    def forward(self, x: Array) -> Array:
        return _unless_singular(np.linalg.inv, x)

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return -(y.mT @ g @ y.mT)


class LinalgDet(Unary):
    """The determinant of each matrix."""

    formulas = ("dx = g * y * inv(x).mT",)

    def forward(self, x: Array) -> Array:
        return np.asarray(np.linalg.det(x), x.dtype)

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return (g * y).unsqueeze(-1).unsqueeze(-1) * LinalgInvEx().of(x).mT


class LinalgSolveEx(Binary):
    """`y` of `a @ y = b`, for matrices `b`."""

    formulas = ("da = -db @ y.mT", "db is the solution of a.mT @ db = g")

    def forward(self, a: Array, b: Array) -> Array:
        self.shapes = a.shape, b.shape
        return _unless_singular(np.linalg.solve, a, b)

    def da(self, g: Tensor, a: Tensor, y: Tensor) -> Tensor:
        return sum_to(-(LinalgSolveEx().of(a.mT, g) @ y.mT), self.shapes[0])

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return sum_to(LinalgSolveEx().of(a.mT, g), self.shapes[1])


@op()
def inverse(input: Tensor) -> Tensor:
    """The inverse of each matrix `(*, N, N)`, `torch.linalg.inv` as well; a LinAlgError if there is none.

    >>> import minigrad as torch
    >>> torch.tensor([[2.0, 0.0], [0.0, 4.0]]).inverse()
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    _check_square("inv", input)
    return LinalgInvEx().of(input)


@op()
def det(input: Tensor) -> Tensor:
    """The determinant of each matrix `(*, N, N)`; its gradient at a singular matrix is a LinAlgError.

    >>> import minigrad as torch
    >>> torch.tensor([[2.0, 1.0], [1.0, 4.0]]).det()
    tensor(7.)
    """
    _check_square("det", input)
    return LinalgDet().of(input)


inv = inverse


@op("linalg", kernel="linalg_solve")
def solve(A: Tensor, B: Tensor) -> Tensor:  # noqa: N803  # PyTorch's names
    """The X of `A @ X = B`, for matrices A `(*, N, N)`, and B `(*, N, K)` or vectors `(*, N)`.

    Errors: a LinAlgError if A is singular, a RuntimeError for shapes and dtypes that do not fit.

    >>> import minigrad as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([0.5000, 0.2500])
    """
    _check_square("solve", A)
    if A.dtype is not B.dtype:
        types = f"A of type {A.dtype._tensor_name} and B of type {B.dtype._tensor_name}"
        raise RuntimeError(f"linalg.solve: Expected A and B to have the same dtype, but found {types}: B.to(A.dtype)")
    of_vectors = B.ndim == 1 or B.shape == A.shape[:-1]
    rows = B.shape[-1 if of_vectors else -2] if B.ndim else 0
    if rows != A.shape[-1]:
        shapes = f"{tuple(A.shape)} and {tuple(B.shape)}"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation AX = B: {shapes}")
    if not of_vectors:
        return LinalgSolveEx().of(A, B)
    columns = LinalgSolveEx().of(A, Reshape((*B.shape, 1)).of(B))
    # A copy: the solution is kept, and must not change where the result is written to.
    return Clone("C", "LinalgSolveExBackward0").of(Unary.of(Reshape(columns.shape[:-1]), columns))


_EXPECTED = "Expected a floating point or complex tensor as input"


def _check_square(name: str, x: Tensor) -> None:
    if x.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if x.shape[-1] != x.shape[-2]:
        sizes = f"{x.shape[-2]} by {x.shape[-1]}"
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {sizes} matrices")
    if x.dtype not in (float32, float64):
        words = "Low precision dtypes not supported" if x._array.dtype in HALVES else _EXPECTED
        raise RuntimeError(f"linalg.{name}: {words}. Got {x.dtype._tensor_name}: x.float()")
