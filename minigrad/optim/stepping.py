"""How one parameter after the other moves: in blocks that stay in the cache, by formulas that several rules share.

Each rule works on NumPy arrays in the order of operations of PyTorch's loop over tensors, so that float32 results
differ by the rounding of fused multiply-adds at the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from minigrad import dtypes
from minigrad.autograd.base import storage_of
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.node import quiet
from minigrad.dtypes import Array
from minigrad.ops.blocks import row_blocks
from minigrad.ops.scatter import read_at, write_at
from minigrad.optim.optimizer import Optimizer
from minigrad.tensor import Tensor, new_leaf

# Arrays of at most as many elements are one block.
_SMALL = 2**16

_COMPUTED_IN = {np.dtype(each): np.promote_types(each, np.float32) for each in (np.float16, np.float32, np.float64)}


class ByParameter(Optimizer):
    """An optimiser whose parameters move one after the other, each by its gradient and what is remembered of it.

    A subclass says in `_move` how.
    """

    #: Whether the number of steps is remembered as a tensor; states of other origin may have it as a number.
    _counts_in_tensors: ClassVar[bool] = True

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        if defaults.get("fused") and defaults["differentiable"]:
            raise RuntimeError("`fused` does not support `differentiable`")
        if defaults.get("differentiable"):
            raise NotImplementedError(
                f"{type(self).__name__}(differentiable=True) is not supported here: steps are not recorded. Write the "
                "update as operations on tensors, parameter = parameter - lr * gradient"
            )
        if defaults.get("fused") and defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move each parameter that has a gradient; what `closure`, called before to compute the gradients, returned.

        Where one of them cannot move, none does.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        moving = []
        for group in self.param_groups:
            with_gradient = [parameter for parameter in group["params"] if parameter._grad is not None]
            for parameter in with_gradient:
                if not parameter._array.flags.writeable:
                    parameter._check_writable()
                if parameter._grad.is_sparse:
                    self._check_sparse(group)
                else:
                    self._check_dense()
            if with_gradient and group.get("capturable"):
                raise AssertionError(
                    "If capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', 'hpu', "
                    "'privateuseone', 'xla'], and minigrad computes on the CPU. Leave capturable=False."
                )
            moving.append((group, with_gradient))
        quiet().run(self._move_all, moving)
        return loss

    def _check_sparse(self, group: dict[str, Any]) -> None:
        """Nothing if a parameter of the group can move by a sparse gradient; else a RuntimeError."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _check_dense(self) -> None:
        """Nothing if a parameter can move by a dense gradient; else a RuntimeError."""

    def _move_all(self, moving: list[tuple[dict[str, Any], list[Tensor]]]) -> None:
        for group, parameters in moving:
            for parameter in parameters:
                self._move(parameter, parameter._grad, group)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        """Move one parameter by its gradient and the options of its group."""
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for option, default in self.defaults.items():
                group.setdefault(option, default)
            for parameter in group["params"]:
                remembered = self.state.get(parameter, {})
                if self._counts_in_tensors and not isinstance(remembered.get("step", parameter), Tensor):
                    remembered["step"] = step_counter(group.get("fused"), remembered["step"])


# ---- what is remembered ----------------------------------------------------------------------------------------------


def step_counter(fused: bool | None = False, count: float = 0.0) -> Tensor:
    """The number of steps so far as PyTorch keeps it: a 0-d floating-point tensor."""
    wide = dtypes.get_default_dtype() is dtypes.float64 and not fused
    return new_leaf(np.array(count, np.float64 if wide else np.float32))


def count_step(state: dict[str, Any]) -> float:
    """The number of steps of one parameter, with the one that begins."""
    counter = state["step"]
    counter._array[()] = counter._array.item() + 1
    wrote(counter)
    count: float = counter._array.item()
    return count


def zeros_like(parameter: Tensor) -> Tensor:
    """Zeros of the shape, dtype and memory order of `parameter`."""
    array = parameter._array
    # The memory of np.zeros is taken when it is first written to: that of rows which never move, never.
    return new_leaf(np.zeros(array.shape, array.dtype) if array.flags.c_contiguous else np.zeros_like(array))


def wrote(*tensors: Tensor) -> None:
    """Count a write in place to each of the tensors."""
    for tensor in tensors:
        storage_of(tensor).version += 1


# ---- options ---------------------------------------------------------------------------------------------------------


def check_learning_rate(lr: Any) -> None:
    """Nothing if the learning rate is a number or has one element; else a TypeError or a ValueError."""
    if not isinstance(lr, Tensor | float | int | np.number):
        raise TypeError(f"the learning rate has to be a number or a tensor of one element, such as 1e-3, not {lr!r}")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, but it has shape {tuple(lr.shape)}")


def refuse(wrong: Any, option: str, value: Any) -> None:
    """A ValueError that names an option and its value, if that is `wrong`."""
    if wrong:
        raise ValueError(f"Invalid {option}: {value}")


def number(option: Any) -> Any:
    """An option that may be a tensor of one element, as a Python number."""
    return option._array.item() if isinstance(option, Tensor) else option


# ---- arrays ----------------------------------------------------------------------------------------------------------


def scalars(array: Array, *numbers: float) -> list[Array]:
    """The numbers as 0-d arrays of the dtype that arithmetic on `array` is done in: float32 for float16.

    >>> scalars(np.zeros(3, np.float16), 0.1)
    [array(0.1, dtype=float32)]
    """
    wanted = _COMPUTED_IN[array.dtype]
    return [np.array(each, wanted) for each in numbers]


def blocks(buffers: int, *tensors: Tensor) -> list[list[Array]]:
    """Parts of the tensors' arrays, which have one shape, in blocks; each after `buffers` arrays to compute in.

    A step is many operations on few numbers each: done block by block, all but the first find them in the cache, and
    no temporary is as large as a parameter.
    """
    arrays = [tensor._array for tensor in tensors]
    first = arrays[0]
    if first.size <= _SMALL:
        return [[*[np.empty_like(first) for _ in range(buffers)], *arrays]]
    if all([array.flags.f_contiguous for array in arrays]):
        arrays = [array.T for array in arrays]
    if all([array.flags.c_contiguous for array in arrays]):
        arrays = [array.reshape(-1) for array in arrays]
    cuts = row_blocks(arrays[0])
    scratch = [np.empty_like(arrays[0][cuts[0]]) for _ in range(buffers)]
    return [
        [*[buffer[: min(cut.stop, len(arrays[0])) - cut.start] for buffer in scratch], *[each[cut] for each in arrays]]
        for cut in cuts
    ]


def descent(g: Array, w: Array, decay: Array | None, maximize: bool, s: Array) -> Array:
    """`g`, or `-g` to `maximize`, plus `decay * w`: the gradient `g` itself, or the sum in the buffer `s`."""
    if decay is None:
        return np.negative(g, s) if maximize else g
    np.multiply(w, decay, s)
    result: Array = (np.subtract if maximize else np.add)(s, g, s)
    return result


def average(mean: Array, new: Array, weight: Array, s: Array) -> None:
    """`mean += weight * (new - mean)`, in the form that is exact at both ends."""
    np.subtract(new, mean, s)
    if weight.item() < 0.5:
        s *= weight
        mean += s
    else:
        s *= 1 - weight
        np.subtract(new, s, mean)


def average_square(mean: Array, new: Array, keep: Array, weight: Array, s: Array) -> None:
    """`mean = keep * mean + weight * new * new`."""
    mean *= keep
    np.multiply(new, weight, s)
    s *= new
    mean += s


class Rows:
    """The rows that a sparse gradient has, of the tensors of its shape: each once, with the sum of its entries.

    What it costs to read and write them does not depend on how many other rows there are.
    """

    def __init__(self, gradient: Any) -> None:
        summed = gradient.coalesce()
        self.values: Array = summed._entries._array
        self._ids: Array = summed._ids()
        self._dims = tuple(range(summed.sparse_dim()))

    def of(self, tensor: Tensor) -> Array:
        """A copy of these rows of the tensor."""
        return read_at(tensor._array, self._dims, self._ids)

    def write(self, tensor: Tensor, rows: Array) -> None:
        """Let these rows of the tensor be `rows`."""
        write_at(tensor._array, self._dims, self._ids, rows)
        wrote(tensor)
