"""Batches (`data`), and two modules that have no file: `checkpoint` and `model_zoo`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from minigrad.core.modes import is_grad_enabled, set_grad_enabled
from minigrad.core.tensor import Tensor
from minigrad.tensors.errors import add_module, advised, warn_program
from minigrad.utils import data

__all__ = ["checkpoint", "data"]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args)`; unless `use_reentrant` is False it has no history if no argument requires a gradient.

    In PyTorch it is computed again in the backward pass, for want of memory; here its values are kept, which gives
    the same gradients.

    >>> import minigrad as torch
    >>> from minigrad.utils.checkpoint import checkpoint
    >>> checkpoint(torch.exp, torch.zeros(2, requires_grad=True), use_reentrant=False)
    tensor([1., 1.], grad_fn=<ExpBackward0>)
    """
    if kwargs and use_reentrant is not False:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}: use_reentrant=False takes them")
    recorded = use_reentrant is False or any([isinstance(each, Tensor) and each.requires_grad for each in args])
    if not recorded:
        warn_program("None of the inputs have requires_grad=True. Gradients will be None")
    with set_grad_enabled(is_grad_enabled() and recorded):
        return function(*args, **kwargs)


def load_url(url: str, *args: object, **kwargs: object) -> NoReturn:
    """A NotImplementedError: `torch.load` reads weights that were downloaded, and `load_state_dict` takes them."""
    raise NotImplementedError(f"minigrad downloads nothing: torch.load reads a file, such as that of {url}")


add_module(f"{__name__}.checkpoint", checkpoint)
add_module(f"{__name__}.model_zoo", load_url, told="Where weights were downloaded from.")
globals().update(advised(__name__, __all__))
