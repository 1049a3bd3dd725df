"""Products of vectors, matrices and batches of matrices."""

from __future__ import annotations

from minigrad.core.dtypes import Number
from minigrad.core.elementwise import Mul
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import checked_number, checked_tensor, in_place
from minigrad.ops import addmm, einsum, matmul


class Products(Tensor):
    """Products."""

    __slots__ = ()

    def __matmul__(self, other: Tensor) -> Tensor:
        return matmul.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def __rmatmul__(self, other: Tensor) -> Tensor:
        return matmul.matmul(other, self) if isinstance(other, Tensor) else NotImplemented

    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product `self @ other`.

        >>> import minigrad as torch
        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).matmul(torch.tensor([1.0, 10.0]))
        tensor([21., 43.])
        >>> (torch.zeros(5, 2, 3) @ torch.zeros(3, 4)).shape
        torch.Size([5, 2, 4])
        """
        return matmul.matmul(self, checked_tensor("matmul", other, "other"))

    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
        checked_tensor("mm", mat2, "mat2")
        for name, each in (("self", self), ("mat2", mat2)):
            if each.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor; matmul() takes other ranks")
        return matmul.matmul(self, mat2)

    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of the matrices of two batches, `(B, N, K)` and `(B, K, M)`.

        >>> import minigrad as torch
        >>> torch.ones(5, 2, 3).bmm(torch.ones(5, 3, 4)).shape
        torch.Size([5, 2, 4])
        """
        return matmul.bmm(self, checked_tensor("bmm", mat2, "mat2"))

    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""
        checked_tensor("mv", vec, "vec")
        if self.ndim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions: mv() expects a matrix")
        if (self.ndim, vec.ndim) != (2, 1):
            raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim} dimensions")
        return matmul.matmul(self, vec)

    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors."""
        return matmul.dot(self, checked_tensor("dot", tensor, "tensor"), "DotBackward0")

    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors: of real numbers, the same as `dot`."""
        return matmul.dot(self, checked_tensor("vdot", other, "other"), "VdotBackward0")

    def inner(self, other: Tensor) -> Tensor:
        """The sum of products over the last dimension of both; with a 0-d tensor, the product by a number.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).inner(torch.tensor([[1, 0], [3, 4]]))
        tensor([ 1, 11])
        """
        if checked_tensor("inner", other, "other").ndim == 0 or self.ndim == 0:
            return Mul()(self, other)
        if self._array.shape[-1] != other._array.shape[-1]:
            raise RuntimeError(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(self.shape)} and {list(other.shape)}"
            )
        return einsum.tensordot(self, other, (-1,), (-1,))

    def outer(self, vec2: Tensor) -> Tensor:
        """The products of each element of a vector with each of another: `y[i, j] = self[i] * vec2[j]`.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).outer(torch.tensor([1, 10, 100]))
        tensor([[  1,  10, 100],
                [  2,  20, 200]])
        """
        return matmul.outer(self, checked_tensor("outer", vec2, "vec2"))

    def ger(self, vec2: Tensor) -> Tensor:
        """The same as `outer`."""
        return matmul.outer(self, checked_tensor("ger", vec2, "vec2"))

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """`beta * self + alpha * (mat1 @ mat2)` for two matrices; with beta = 0 not even nan in `self` counts."""
        one, two = checked_tensor("addmm", mat1, "mat1", 1), checked_tensor("addmm", mat2, "mat2", 2)
        return addmm.addmm(
            self, one, two, checked_number("addmm", "beta", beta), checked_number("addmm", "alpha", alpha)
        )

    addmm_ = in_place(addmm)
