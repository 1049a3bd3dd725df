"""The main job, `python -m minigrad`: a lookup is a product with one-hot vectors, shown on numbers.

The story is `tour.txt`.  Each line printed behind `>>>` is run as it stands and followed by its result: what is printed
is a doctest, also one of PyTorch.  That two things are equal is said only after they have been compared.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from timeit import repeat
from typing import Any

import minigrad as torch
from minigrad.explain.picture import MOST_COLUMNS, MOST_IDS, MOST_ROWS, page
from minigrad.serialization import replace

# Tables and one-hot matrices are made whole.  The table of GPT-2, 50,257 x 768, is to fit.
MAX_NUMBERS = 50_000_000
SHOWN_ROWS, SHOWN_TERMS, SHOWN_COLUMNS = 8, 4, 6
TIMED_IDS, TIMED_DIM, TIMED_VOCABS = 256, 64, (64, 512, 4096, 32768)


def tell(text: str, names: dict[str, Any], told: dict[str, Any]) -> None:
    """Print the paragraphs, in which `$name` is one of `told`, and run the lines behind `>>>`, as Python's shell does.

    The last value chooses between True and False.
    """
    line = ""
    for block in text.strip().split("\n\n"):
        answer, _, words = block.partition(": ")
        if answer in ("True", "False"):
            if answer != str(eval(line.removeprefix(">>> "), names)):
                continue
            block = words
        block = Template(block).substitute(told)
        if block.startswith(">>> "):
            for line in block.splitlines():
                print(line)
                exec(compile(line.removeprefix(">>> "), "tour.txt", "single"), names)
        elif "\n---" in block:
            print(f"\n{block}")
        else:
            print(textwrap.fill(" ".join(block.split()), 78))
        print()


def tour(given: argparse.Namespace) -> None:
    """Print the whole story: the parts of `tour.txt`, and what is computed between them."""
    parts = re.split("==== ?.*\n", Path(__file__).with_name("tour.txt").read_text(encoding="utf-8"))
    start, for_large, forward, for_added, backward, rest, cost, end = parts
    later = with_repeat(given.ids)
    if max(given.vocab, given.dim, len(given.ids)) < SHOWN_ROWS:
        for_large = ""
    if later == given.ids:
        for_added = ""
    names: dict[str, Any] = {}
    told = vars(given) | {
        "later": later, "count": len(later), "end": len(later) * given.dim + 1, "note": repeat_note(later),
        "timed_ids": TIMED_IDS, "timed_dim": TIMED_DIM,
    }  # fmt: skip
    tell(start + for_large + forward + for_added + backward, names, told)
    print(*origins(later, names["upstream"], names["embedding"].weight.grad), sep="\n", end="\n\n")
    tell(rest, names, told)
    tell(cost, names, told | {"grown": told_times()})
    print(end, end="")


def origins(ids: list[int], upstream: torch.Tensor, grad: torch.Tensor) -> Iterator[str]:
    """Lines with rows of the gradient, each above the rows of `upstream` that add up to it."""
    vocab, dim = grad.shape
    width = len(f"{grad.max().item():.0f}")

    def line(label: str, row: torch.Tensor) -> str:
        numbers = " ".join([f"{number:{width}.0f}" for number in row[:SHOWN_COLUMNS].tolist()])
        return f"  {label:19} {numbers}{' ...' if dim > SHOWN_COLUMNS else ''}"

    listed = range(vocab) if vocab <= SHOWN_ROWS else sorted(set(ids))[:SHOWN_ROWS]
    for v in listed:
        yield line(f"weight.grad[{v}]", grad[v])
        places = [n for n, id_ in enumerate(ids) if id_ == v]
        for n in places[:SHOWN_TERMS]:
            yield line(f"  {'=' if n == places[0] else '+'} upstream[{n}]", upstream[n])
        if not places:
            yield f"    = nothing: no {v} in ids"
        if len(places) > SHOWN_TERMS:
            yield f"    + ... and {len(places) - SHOWN_TERMS:,} more"
    if len(listed) < vocab:
        yield f"  ... and {vocab - len(listed):,} more, {int((grad == 0).all(1).sum()):,} of them all zeros"


def told_times() -> str:
    """Print the measured times of both ways, forward and backward, as the vocabulary grows; say how they grew."""
    print("      V    lookup   long way   long way / lookup")
    ratios = []
    for vocab in TIMED_VOCABS:
        lookup, long = measured(vocab)
        ratios.append(long / lookup)
        print(f"{vocab:7,} {lookup:9,.0f} {long:10,.0f} {ratios[-1]:19,.1f}")
    print()
    if ratios == sorted(set(ratios)):
        return f"At V = {vocab:,} it took {ratios[-1]:,.0f} times as long."
    return "The last column should grow with V, but these times were disturbed: run it again on an idle machine."


def measured(vocab: int) -> list[float]:
    """The microseconds, the least of some runs, of the lookup and of the long way, each there and back."""
    ids, upstream = torch.randint(0, vocab, (TIMED_IDS,)), torch.ones(TIMED_IDS, TIMED_DIM)
    embedding, linear = torch.nn.Embedding(vocab, TIMED_DIM), torch.nn.Linear(vocab, TIMED_DIM, bias=False)

    def look_up() -> object:
        return torch.autograd.grad(embedding(ids), embedding.weight, upstream)

    def multiply() -> object:
        one_hot = torch.nn.functional.one_hot(ids, vocab).float()
        return torch.autograd.grad(linear(one_hot), linear.weight, upstream)

    runs = max(TIMED_VOCABS) // vocab + 4
    return [1e6 * min(repeat(way, repeat=runs, number=1)) for way in (look_up, multiply)]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments `ids`, `vocab`, `dim`, `seed` and `html`; SystemExit, as argparse does, if they cannot be used."""
    about = "Show, on numbers, that an embedding is a linear layer on one-hot vectors, and what it saves."
    parser = argparse.ArgumentParser("python -m minigrad", description=about)
    add = parser.add_argument
    add("ids", metavar="IDS", type=int, nargs="*", help="the ids to look up, from 0 to V - 1 (default: 2 3 1)")
    add("--vocab", metavar="V", type=int, help="rows of the table (default: the largest id + 1)")
    add("--dim", metavar="D", type=int, help="numbers in a row (default: 5; in a page, 3)")
    add("--seed", metavar="S", type=int, default=123, help="seed of the random table (default: 123)")
    add("--html", metavar="FILE", help="write the story as a page to point at: one file, which needs no network")
    given = parser.parse_intermixed_args(arguments)
    for name, number in (("--vocab", given.vocab), ("--dim", given.dim)):
        if number is not None and number < 1:
            parser.error(f"argument {name}: expected at least 1, got {number}")
    given.ids = given.ids or [2, 3, 1]
    given.dim = given.dim or (5 if given.html is None else 3)
    given.vocab = max(*given.ids, 0) + 1 if given.vocab is None else given.vocab
    for id_ in given.ids:
        if not 0 <= id_ < given.vocab:
            parser.error(f"argument IDS: ids must be in [0, {given.vocab}), the rows of the table; got {id_}")
    count, vocab, dim = len(with_repeat(given.ids)), given.vocab, given.dim
    for what, rows, columns in (("table", vocab, dim), ("one-hot matrix", count, vocab), ("output", count, dim)):
        if rows * columns > MAX_NUMBERS:
            parser.error(f"the {what} would have {rows:,} x {columns:,} numbers; {MAX_NUMBERS:,} at most: take fewer")
    if given.html is not None and (count > MOST_IDS or vocab > MOST_ROWS or dim > MOST_COLUMNS):
        most = f"{MOST_IDS} ids, one of them twice, V = {MOST_ROWS} and D = {MOST_COLUMNS}"
        got = f"{len(given.ids)} ids, V = {vocab:,}, D = {dim:,}"
        parser.error(f"argument --html: a page has room for {most}; got {got}")
    return given


def with_repeat(ids: list[int]) -> list[int]:
    """The ids themselves if one of them occurs twice; else the first once more behind them."""
    return ids if len(set(ids)) < len(ids) else [*ids, ids[0]]


def repeat_note(ids: list[int]) -> str:
    """What is said of the last of the ids where `with_repeat` has added it."""
    return f"To see an id come twice, {ids[-1]} is added at the end"


def write_page(given: argparse.Namespace) -> None:
    """Write the page, and print where it is."""
    ids = with_repeat(given.ids)
    note = f"{repeat_note(ids)}." if len(ids) > len(given.ids) else ""
    options = f"--vocab {given.vocab} --dim {given.dim} --seed {given.seed} --html {shlex.quote(given.html)}"
    torch.manual_seed(given.seed)
    embedding = torch.nn.Embedding(given.vocab, given.dim)
    typed, shown = [" ".join(map(str, each)) for each in (given.ids, ids)]
    text = page(shown, embedding, note, f"python -m minigrad {typed} {options}")
    replace(given.html, [text.encode()])
    print(f"Written: {given.html}. Open it in a browser.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the whole story, or write the page."""
    given = parse(arguments)
    try:
        tour(given) if given.html is None else write_page(given)
        # What is left is written here, where it may fail.
        print(end="", flush=True)
    except BrokenPipeError:
        # Whoever read has seen enough.  As Python ends it writes what is left, which is to be no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, RuntimeError) as error:
        sys.exit(f"python -m minigrad: {error}")


if __name__ == "__main__":
    main()
