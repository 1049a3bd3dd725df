"""Selecting: by a condition, and the larger or smaller of two."""

from __future__ import annotations

from minigrad.core.tensor import Tensor
from minigrad.methods.arithmetic import checked_number
from minigrad.methods.forms import Operand, checked_operand, checked_tensor, in_place
from minigrad.methods.writing import Writing
from minigrad.ops import selecting


class Selecting(Writing):
    """Selecting."""

    __slots__ = ()

    def where(self, condition: Tensor, other: Operand) -> Tensor:
        """The elements where `condition` holds, those of `other` elsewhere.

        >>> import minigrad as torch
        >>> x = torch.tensor([-1.0, 2.0])
        >>> x.where(x > 0, 0.0)
        tensor([0., 2.])
        """
        condition = checked_tensor("where", condition, "condition", 1)
        return selecting.where(condition, self, checked_operand("where", other, 2))

    def masked_fill(self, mask: Tensor, value: Operand) -> Tensor:
        """The elements where `mask` does not hold, the number `value` where it does.

        >>> import minigrad as torch
        >>> scores = torch.tensor([1.0, 2.0, 3.0])
        >>> scores.masked_fill(scores > 2, float("-inf"))
        tensor([1., 2., -inf])
        """
        mask = checked_tensor("masked_fill", mask, "mask", 1)
        return selecting.masked_fill(self, mask, checked_operand("masked_fill", value, 2))

    def clamp(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """The elements, raised to `min` and lowered to `max`: two numbers or two tensors; one may be left out.

        >>> import minigrad as torch
        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
        """
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        low, high = _bounds(min, max)
        return selecting.clamp(self, low, high)

    def clamp_min(self, min: Operand) -> Tensor:
        """The elements, raised to `min`."""
        return selecting.clamp(self, checked_operand("clamp_min", min), None, "ClampMin")

    def clamp_max(self, max: Operand) -> Tensor:
        """The elements, lowered to `max`."""
        return selecting.clamp(self, None, checked_operand("clamp_max", max), "ClampMax")

    def maximum(self, other: Tensor) -> Tensor:
        """The larger of each element and that of `other`; nan if one is."""
        return selecting.Maximum()(self, checked_tensor("maximum", other, "other", 1))

    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of each element and that of `other`; nan if one is."""
        return selecting.Minimum()(self, checked_tensor("minimum", other, "other", 1))

    def fmax(self, other: Tensor) -> Tensor:
        """The larger of each element and that of `other`, or the one that is not nan."""
        return selecting.Fmax()(self, checked_tensor("fmax", other, "other", 1))

    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of each element and that of `other`, or the one that is not nan."""
        return selecting.Fmin()(self, checked_tensor("fmin", other, "other", 1))

    clip = clamp
    masked_fill_ = in_place(masked_fill)
    clamp_ = clip_ = in_place(clamp)
    clamp_min_ = in_place(clamp_min)
    clamp_max_ = in_place(clamp_max)


def _bounds(*bounds: Operand | None) -> list[Operand | None]:
    """The bounds of a clamp, which must be all tensors or all numbers."""
    given = [each for each in bounds if each is not None]
    if all([isinstance(each, Tensor) for each in given]):
        return list(bounds)
    return [None if each is None else checked_number("clamp", "min and max", each) for each in bounds]
