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
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any, NoReturn

import minigrad as torch

# Tables and one-hot matrices are made whole.  The table of GPT-2, 50,257 x 768, is to fit.
MAX_NUMBERS = 50_000_000
WIDTH = 78
SHOWN_ROWS, SHOWN_TERMS, SHOWN_COLUMNS = 8, 4, 6
TIMED_IDS, TIMED_DIM, TIMED_VOCABS, TIMED_SECONDS = 256, 64, (64, 512, 4096, 32768), 0.1


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
            self.run(f"ids = torch.tensor(given)  # a list of {len(ids):,} ids")
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
            "Exactly equal: each number is 1 * a number of the table + 0 * all the others in its column, "
            "and neither rounds. (All are finite here: 0 * inf would be nan.)"
        )
    else:
        say(f"NOT equal: the largest difference is {largest_difference(session, 'rows - product')}.")


def with_repeat(ids: list[int]) -> list[int]:
    """The ids themselves if one of them occurs twice; else the first once more behind them."""
    return ids if len(set(ids)) < len(ids) else [*ids, ids[0]]


def largest_difference(session: Session, expression: str) -> float:
    """The largest magnitude among the elements of `expression`."""
    return float(eval(expression, session.names).abs().max())


# ---- backward --------------------------------------------------------------------------------------------------------


def show_backward(session: Session, ids: list[int], vocab: int, dim: int) -> None:
    """Print the table's gradient, where each row of it came from, and whether it is the same the other way."""
    heading("2. Backward: where the gradient of the table comes from")
    say(
        "Training makes one number, the loss, smaller. For that it needs the gradient of the table: how fast the "
        "loss grows with each of the table's numbers. The backward pass starts at the output with the gradient "
        "of the output, called upstream here, and undoes the steps named by grad_fn. In training upstream comes "
        "from the loss; here it is 1, 2, 3, ..., so that every number can be followed."
    )
    if len(ids) != len(session.names["ids"]):
        print(f"No id came twice so far. From here on, id {ids[-1]} does:\n")
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
    equal = session.show("torch.allclose(one_hot.grad, upstream @ embedding.weight.T)")
    difference = largest_difference(session, "one_hot.grad - upstream @ embedding.weight.T")
    vectors = session.names["one_hot"]
    last, used, best = len(vectors) - 1, int(vectors[-1].argmax()), int(vectors.grad[-1].argmin())
    change = float(vectors.grad[-1, best] - vectors.grad[-1, used])
    say(
        f"{'' if equal else f'Up to rounding, here {difference:g}: '}entry [n, v] is upstream[n] times row v of the "
        "table, summed: how fast the loss grows as row v is mixed into output n. So it rates every id at every "
        "position: v in place of u changes the loss by [n, v] - [n, u], if the loss is not too curved. "
        + (
            f"At position {last}, id {best} instead of {used} would change it by {change:.4f}, the best for a small loss."
            if best != used
            else f"At position {last}, id {used} itself has the least entry: no other would make the loss smaller."
        )
    )
    print("The ids themselves have no gradient:\n")
    session.show("ids.dtype, ids.requires_grad")
    say(
        "An id is a name, not an amount: no row lies between rows 2 and 3, so an id cannot change a little, and there "
        "is nothing to measure. To ask for its gradient, with ids.requires_grad_(), is an error."
    )


# ---- cost ------------------------------------------------------------------------------------------------------------


def show_cost() -> None:
    """Print the measured time of both ways, forward and backward, as the vocabulary grows."""
    heading("4. What multiplying by 0 costs")
    say(
        f"Microseconds, measured now, the fastest of some runs, for N = {TIMED_IDS} ids and D = {TIMED_DIM}. The long way "
        "makes one_hot(ids, V).float(), passes it through the linear layer, and goes back to the layer's weight."
    )
    print("               lookup                    the long way            long way")
    print("      V   forward  backward      one_hot   forward  backward     / lookup")
    for vocab in TIMED_VOCABS:
        with Progress(f"timing V = {vocab:,} ..."):
            embedding = torch.nn.Embedding(vocab, TIMED_DIM)
            linear = torch.nn.Linear(vocab, TIMED_DIM, bias=False)
            ids, upstream = torch.randint(0, vocab, (TIMED_IDS,)), torch.ones(TIMED_IDS, TIMED_DIM)
            lookup = fastest(lookup_stages, embedding, ids, upstream)
            product = fastest(product_stages, linear, ids, upstream)
        ratio = sum(product) / sum(lookup)
        print(f"{vocab:7,}{lookup[0]:10,.0f}{lookup[1]:10,.0f}", end="   ")
        print(f"{product[0]:10,.0f}{product[1]:10,.0f}{product[2]:10,.0f}{ratio:13,.1f}")
    say(
        "The lookup copies N * D numbers and adds N * D back into V * D zeros. The long way makes N * V numbers and "
        f"multiplies N * V * D times each way, all but N * D times by 0: at V = {vocab:,} it took {ratio:,.0f} times as long."
    )


def lookup_stages(embedding: torch.nn.Embedding, ids: torch.Tensor, upstream: torch.Tensor) -> Iterator[None]:
    """Forward, backward; the time up to each yield is measured."""
    rows = embedding(ids)
    yield
    rows.backward(upstream)
    yield
    embedding.zero_grad()


def product_stages(linear: torch.nn.Linear, ids: torch.Tensor, upstream: torch.Tensor) -> Iterator[None]:
    """One-hot vectors, forward, backward; the time up to each yield is measured."""
    one_hot = torch.nn.functional.one_hot(ids, linear.in_features).float()
    yield
    product = linear(one_hot)
    yield
    product.backward(upstream)
    yield
    linear.zero_grad()


def fastest(stages: Callable[..., Iterator[None]], *arguments: Any) -> list[float]:
    """The least time of each stage in microseconds, of three runs or more; what is slower was disturbed."""
    runs: list[list[float]] = []
    begin = perf_counter()
    while len(runs) < 3 or perf_counter() - begin < TIMED_SECONDS:
        marks = [perf_counter(), *[perf_counter() for _ in stages(*arguments)]]
        runs.append([1e6 * (after - before) for before, after in pairwise(marks)])
    return [min(times) for times in zip(*runs, strict=True)]


class Progress:
    """Shows a text while its block runs, if standard error is a terminal; then the line is blank again."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __enter__(self) -> None:
        self._write(self.text)

    def __exit__(self, *exception: object) -> None:
        self._write(" " * len(self.text))

    def _write(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text}\r", end="", file=sys.stderr, flush=True)


# ---- the command line ------------------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message on one line of standard error, and exit with 2."""
        self.exit(2, f"minigrad: error: {' '.join(message.split())}\n")


def whole_number(text: str) -> int:
    """The number that `text` spells, if it fits in 64 bits."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {reprlib.repr(text)}") from None
    if not -(2**63) <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{reprlib.repr(text)} does not fit in 64 bits")
    return number


def parse(arguments: Sequence[str] | None) -> tuple[list[int], int, int, int]:
    """The ids, V, D and the seed; SystemExit, after one line, if they cannot be used."""
    parser = Parser(
        prog="python -m minigrad",
        description="Show, on numbers, that an embedding is a linear layer on one-hot vectors, and what it saves.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    ids_help = "the ids to look up, from 0 to V - 1 (default: 2 3 1)"
    add("ids", metavar="IDS", type=whole_number, nargs="*", default=[2, 3, 1], help=ids_help)
    add("--vocab", metavar="V", type=whole_number, help="rows of the table (default: the largest id + 1)")
    add("--dim", metavar="D", type=whole_number, default=5, help="numbers in a row (default: 5)")
    add("--seed", metavar="S", type=whole_number, default=123, help="seed of the random table (default: 123)")
    given = parser.parse_intermixed_args(arguments)
    ids: list[int] = given.ids
    vocab: int = max(ids) + 1 if given.vocab is None else given.vocab
    dim: int = given.dim
    for name, number in (("--vocab", given.vocab), ("--dim", dim)):
        if number is not None and number < 1:
            parser.error(f"argument {name}: expected at least 1, got {number}")
    for id_ in ids:
        if not 0 <= id_ < vocab:
            bound = "V)" if given.vocab is None else f"{vocab}), as --vocab is {vocab}"
            parser.error(f"argument IDS: {id_} is not in [0, {bound}")
    places = len(with_repeat(ids))
    for what, rows, columns in (("table", vocab, dim), ("one-hot matrix", places, vocab), ("output", places, dim)):
        if rows * columns > MAX_NUMBERS:
            parser.error(
                f"the {what} would have {rows:,} x {columns:,} numbers, and {MAX_NUMBERS:,} is the limit here: "
                "use smaller ids, --vocab or --dim"
            )
    return ids, vocab, dim, given.seed


def tour(arguments: Sequence[str] | None) -> None:
    """Print the whole story."""
    ids, vocab, dim, seed = parse(arguments)
    session = Session()
    print("An Embedding is a Linear layer on one-hot vectors, without multiplying by 0.")
    say("Each line after >>> has just run. It is PyTorch too: with `import torch`, the same is printed.")
    show_forward(session, ids, vocab, dim, seed)
    show_backward(session, with_repeat(ids), vocab, dim)
    show_input(session)
    show_cost()
    print("Try your own: python -m minigrad 0 4 4 4 --vocab 6 --dim 3")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the whole story, and return the exit code."""
    try:
        try:
            tour(arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader left, as `head` does.  At exit Python flushes once more: that must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main())
