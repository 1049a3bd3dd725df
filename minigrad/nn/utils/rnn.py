"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad.tensor import Tensor


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences `(L_i, *)` side by side, filled up with `padding_value` to the longest: `(L, N, *)`.

    With `batch_first` it is `(N, L, *)`; with `padding_side="left"`, they end at the same place.

    >>> import minigrad as torch
    >>> pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    given = list(sequences)
    if not given:
        raise RuntimeError("received an empty list of sequences")
    longest = max([len(each) for each in given])
    rest = given[0].shape[1:]
    shape = (len(given), longest, *rest) if batch_first else (longest, len(given), *rest)
    padded = given[0].new_full(shape, padding_value)
    for position, each in enumerate(given):
        start = 0 if padding_side == "right" else longest - len(each)
        places = slice(start, start + len(each))
        padded[(position, places) if batch_first else (places, position)] = each
    return padded
