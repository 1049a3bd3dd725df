"""The main job, `python -m minigrad`: a lookup is a product with one-hot vectors, shown on numbers.

Each line printed behind `>>>` is run as it stands and followed by its result: what is printed is a doctest,
also one of PyTorch.  That two things are equal is said only after they have been compared.
"""

from __future__ import annotations

import argparse
import os
import reprlib
import sys
import textwrap
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, NoReturn

import minigrad as torch

# Tables and one-hot matrices are made whole.  The table of GPT-2, 50,257 x 768, is to fit.
MAX_NUMBERS = 50_000_000
WIDTH = 78
SHOWN_ROWS, SHOWN_TERMS, SHOWN_COLUMNS = 8, 4, 6
TIMED_IDS, TIMED_DIM, TIMED_VOCABS, TIMED_SECONDS = 256, 64, (64, 512, 4096, 32768), 0.12


class Session:
    """Lines of Python that are printed as in Python's shell, and run."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}

    def run(self, *statements: str) -> None:
        """Print and run the statements."""
        for statement in statements:
            print(">>>", statement)
            exec(statement, self.names)

    def show(self, expression: str) -> Any:
        """Print the expression and its value, which is returned."""
        print(">>>", expression)
        value = eval(expression, self.names)
        print(repr(value))
        return value

    def set_ids(self, ids: list[int]) -> None:
        """Make the tensor `ids`, from the numbers themselves if they fit on a line."""
        if len(str(ids)) < WIDTH - len(">>> ids = torch.tensor()"):
            self.run(f"ids = torch.tensor({ids})")
        else:
            self.names["given"] = ids
            self.run(f"ids = torch.tensor(given)  # the {len(ids):,} ids of the command line")
            self.show("ids")


def heading(text: str) -> None:
    """Print a title."""
    print(f"\n{text}\n{'-' * len(text)}")


def say(text: str) -> None:
    """Print a paragraph between blank lines."""
    print(f"\n{textwrap.fill(text, WIDTH)}\n")


# ---- forward ---------------------------------------------------------------------------------------------------------


def show_forward(session: Session, ids: list[int], vocab: int, dim: int, seed: int) -> None:
    """Print the table, the lookup, the one-hot matrix and the product, and whether the two results are equal."""
    heading("1. Forward: look rows up, or multiply by one-hot vectors")
    print()
    session.run("import minigrad as torch", f"_ = torch.manual_seed({seed})")
    if max(vocab, dim, len(ids)) >= SHOWN_ROWS:
        session.run("torch.set_printoptions(threshold=120, linewidth=77, sci_mode=False)")
    say(f"An embedding is a table of numbers to learn: V = {vocab} rows, one per id, of D = {dim} random numbers.")
    session.run(f"embedding = torch.nn.Embedding({vocab}, {dim})")
    session.show("embedding.weight")
    say("Called with ids, it gives their rows:")
    session.set_ids(ids)
    session.run("rows = embedding(ids)")
    session.show("rows")
    say(f"The long way: write each id as a one-hot vector, V = {vocab} numbers with a 1 at the id and 0 elsewhere,")
    session.run(f"one_hot = torch.nn.functional.one_hot(ids, {vocab})")
    session.show("one_hot")
    say(
        "and multiply by the table. A linear layer without bias does just that; it keeps its weight as (D, V), "
        "so it gets the table transposed."
    )
    session.run(
        f"linear = torch.nn.Linear({vocab}, {dim}, bias=False)",
        "linear.weight = torch.nn.Parameter(embedding.weight.T)",
        "product = linear(one_hot.float())",
    )
    session.show("product")
    if session.show("torch.equal(rows, product)"):
        say(
            "Equal, to the last bit: each number is 1 * a number of the table + 0 * all the others in its column, "
            "which rounds nowhere. (All are finite here: 0 * inf would be nan.)"
        )
    else:
        say(f"NOT equal: the largest difference is {largest_difference(session, 'rows - product')}.")


def largest_difference(session: Session, expression: str) -> float:
    """The largest magnitude among the elements of `expression`."""
    return float(eval(expression, session.names).abs().max())


# ---- backward --------------------------------------------------------------------------------------------------------


def show_backward(session: Session, ids: list[int], vocab: int, dim: int) -> None:
    """Print the table's gradient, where each row of it came from, and whether it is the same the other way."""
    heading("2. Backward: where the gradient of the table comes from")
    say(
        "To learn, we need the gradient of a loss with respect to the table: how fast the loss grows with each "
        "of its numbers. A backward pass computes it from `upstream`, the gradient of the loss with respect to "
        "the output. Here that is just 1, 2, 3, ..., so that every number can be followed."
    )
    if len(set(ids)) == len(ids):
        print(f"No id came twice so far. From here on, id {ids[0]} does:\n")
        ids = [*ids, ids[0]]
        session.set_ids(ids)
    session.run(f"upstream = torch.arange(1.0, {len(ids) * dim + 1}.0).reshape({len(ids)}, {dim})")
    session.show("upstream")
    session.run("embedding(ids).backward(upstream)")
    session.show("embedding.weight.grad")
    say("Output n is a copy of row ids[n], so upstream[n] is added to the gradient of that row:")
    for line in origins(ids, session.names["upstream"], session.names["embedding"].weight.grad):
        print(line)
    say("The long way, asking for the gradient of the one-hot vectors as well:")
    session.run(
        f"one_hot = torch.nn.functional.one_hot(ids, {vocab}).float().requires_grad_()",
        "linear(one_hot).backward(upstream)",
    )
    if session.show("torch.equal(embedding.weight.grad, linear.weight.grad.T)"):
        say(
            "Equal again: the product's rule is one_hot.T @ upstream, and row v of one_hot.T has a 1 wherever ids "
            "is v, so it adds up the same rows. These sums are exact, being whole numbers below 2**24. In general "
            "sums round, and the two ways may add an id's rows in different order: then the last digits can differ."
        )
    else:
        difference = largest_difference(session, "embedding.weight.grad - linear.weight.grad.T")
        say(
            f"NOT equal: the largest difference is {difference:g}. In float32 whole numbers above 2**24 round, and "
            "the two ways may add an id's rows in different order."
        )


def origins(ids: list[int], upstream: torch.Tensor, grad: torch.Tensor) -> Iterator[str]:
    """Lines with rows of the gradient, each above the rows of `upstream` that add up to it."""
    vocab, dim = grad.shape
    listed = range(vocab) if vocab <= SHOWN_ROWS else sorted(set(ids))[:SHOWN_ROWS]
    lines: list[tuple[str, list[str]]] = []
    for row in listed:
        places = [n for n, id_ in enumerate(ids) if id_ == row]
        lines.append((f"weight.grad[{row}]", _numbers(grad[row])))
        for n in places[:SHOWN_TERMS]:
            lines.append((f"  {'=' if n == places[0] else '+'} upstream[{n}]", _numbers(upstream[n])))
        if len(places) > SHOWN_TERMS:
            lines.append((f"  + ... and {len(places) - SHOWN_TERMS:,} more", []))
        if not places:
            lines.append((f"  = nothing: ids has no {row}", []))
    left = max([len(label) for label, _ in lines])
    width = max([len(number) for _, numbers in lines for number in numbers])
    for label, numbers in lines:
        more = " ..." if numbers and dim > SHOWN_COLUMNS else ""
        yield f"  {label:{left}}  {' '.join([n.rjust(width) for n in numbers])}{more}".rstrip()
    if len(listed) < vocab:
        zeros = int((grad == 0).all(1).sum())
        yield f"  ... and {vocab - len(listed):,} more rows, of which {zeros:,} are zeros: their ids do not occur"


def _numbers(row: torch.Tensor) -> list[str]:
    return [f"{number:.0f}" for number in row[:SHOWN_COLUMNS].tolist()]


# ---- the input -------------------------------------------------------------------------------------------------------


def show_input(session: Session) -> None:
    """Print the gradient of the one-hot vectors and what it says, and why ids have none."""
    heading("3. The gradient of the input")
    print()
    session.show("one_hot.grad")
    if session.show("torch.allclose(one_hot.grad, upstream @ embedding.weight.T)"):
        best = int(session.names["one_hot"].grad[0].argmin())
        say(
            "Entry [n, v] is the dot product of upstream[n] and row v of the table: how fast the loss grows as row v "
            "is mixed into output n. It rates every id in every place, used or not: putting v in the place of u at n "
            "changes the loss by about [n, v] - [n, u]. "
            f"In place 0 the smallest entry is that of id {best}: the loss would be least with that id there."
        )
    print("The ids have no gradient:\n")
    session.show("ids.dtype, ids.requires_grad")
    say(
        "An id is a name, not an amount. No row lies between rows 2 and 3, so there is no small change of an id "
        "to measure the loss by; ids.requires_grad_() is an error."
    )


# ---- cost ------------------------------------------------------------------------------------------------------------


def show_cost() -> None:
    """Print the measured time of both ways, forward and backward, as the vocabulary grows."""
    heading("4. What the multiplications by zero cost")
    say(
        f"Microseconds for {TIMED_IDS} ids, D = {TIMED_DIM}, medians, measured now. The long way is one_hot(ids, V).float(), "
        "the linear layer, and the backward pass of the layer's weight."
    )
    print("              lookup                  the long way             long way")
    print("      V  forward backward     one_hot   forward  backward     / lookup")
    ratio = 0.0
    for vocab in TIMED_VOCABS:
        with_progress = f"timing V = {vocab:,} ..."
        progress(with_progress)
        table = torch.rand(vocab, TIMED_DIM)
        ids = torch.randint(0, vocab, (TIMED_IDS,))
        try:
            lookup = medians(lambda: lookup_stages(table, ids))
            product = medians(lambda: product_stages(table, ids))
        finally:
            progress(" " * len(with_progress))
        ratio = sum(product) / sum(lookup)
        print(f"{vocab:7,} {lookup[0]:8,.0f} {lookup[1]:8,.0f} " + "".join([f"{x:10,.0f}" for x in product]) + f"{ratio:13,.1f}")
