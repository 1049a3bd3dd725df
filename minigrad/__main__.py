"""The main job, `python -m minigrad`: a lookup is a product with one-hot vectors, shown on numbers.

Each line printed behind `>>>` is run as it stands and followed by its result: what is printed is a doctest,
also one of PyTorch.  That two things are equal is said only after they have been compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from timeit import repeat
from typing import Any

import minigrad as torch
from minigrad.explain.page import MOST_IDS, page
from minigrad.explain.picture import MOST_COLUMNS, MOST_ROWS
from minigrad.serialization import replacing

# Tables and one-hot matrices are made whole.  The table of GPT-2, 50,257 x 768, is to fit.
MAX_NUMBERS = 50_000_000
SHOWN_ROWS, SHOWN_TERMS, SHOWN_COLUMNS = 8, 4, 6
TIMED_IDS, TIMED_DIM, TIMED_VOCABS = 256, 64, (64, 512, 4096, 32768)
# The processor's time leaves out that of other programs.  Windows counts it in steps of 16 ms: too long.
CLOCK = perf_counter if os.name == "nt" else process_time
# BLAS reads these as NumPy is imported.  On a busy machine its threads would wait for each other.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Session:
    """Lines of Python that are printed as in Python's shell, and run."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}

    def run(self, *lines: str) -> Any:
        """Print and run each line; of an expression, print the value.  The value of the last is returned."""
        for line in lines:
            print(">>>", line)
            try:
                value = eval(line, self.names)
            except SyntaxError:
                value = None
                exec(line, self.names)
            if value is not None:
                print(repr(value))
        return value

    def compare(self, function: str, left: str, right: str, if_equal: str, if_not: str) -> None:
        """Print whether `torch.equal` (or `allclose`) holds, and the paragraph that then is true."""
        if self.run(f"torch.{function}({left}, {right})"):
            say(if_equal)
        else:
            difference = eval(f"({left} - {right}).abs().max().item()", self.names)
            say(f"NOT equal: the largest difference is {difference:g}. {if_not}")


def heading(text: str) -> None:
    """Print a title."""
    print(f"\n{text}\n{'-' * len(text)}")


def say(text: str) -> None:
    """Print a paragraph between blank lines."""
    print(f"\n{textwrap.fill(' '.join(text.split()), 78)}\n")


def show_forward(session: Session, ids: list[int], vocab: int, dim: int, seed: int) -> None:
    """Print the table, the lookup, the one-hot matrix and the product, and whether the two results are equal."""
    heading("1. Forward: look rows up, or multiply by one-hot vectors")
    print()
    session.run("import minigrad as torch", f"_ = torch.manual_seed({seed})")
    if max(vocab, dim, len(ids)) >= SHOWN_ROWS:
        say("So that tensors fit the screen, large ones are printed in part, and all without exponents:")
        session.run("torch.set_printoptions(threshold=80, linewidth=77, sci_mode=False)")
    say(f"""An embedding is a table to be learned. It has V rows, one for each id, of D numbers, which are random at
        first. Here V = {vocab} and D = {dim}.""")
    session.run(f"embedding = torch.nn.Embedding({vocab}, {dim})", "embedding.weight")
    say("Called with ids, it gives their rows:")
    session.run(f"ids = torch.tensor({ids})", "rows = embedding(ids)", "rows")
    say("""grad_fn names the step that made the rows; section 2 goes back along it. The long way to the same rows: write
        each id as a one-hot vector, V numbers with a 1 at the id and 0 elsewhere,""")
    session.run(f"one_hot = torch.nn.functional.one_hot(ids, {vocab})", "one_hot")
    say("""and multiply by the table. A linear layer without bias does just that; it keeps its weight as (D, V), so it
        gets a copy of the table, transposed.""")
    session.run(f"linear = torch.nn.Linear({vocab}, {dim}, bias=False)")
    session.run("linear.weight = torch.nn.Parameter(embedding.weight.T.detach().clone())")
    session.run("product = linear(one_hot.float())", "product")
    equal = """Exactly equal: each number is 1 * a number of the table + 0 * all the others in its column, and neither
        multiplying by 0 or 1 nor adding 0 rounds. (All are finite here: 0 * inf would be nan.)"""
    session.compare("equal", "rows", "product", equal, "That should not be: please report it.")


def show_backward(session: Session, ids: list[int], vocab: int, dim: int) -> None:
    """Print the table's gradient, where each row of it came from, and whether it is the same the other way."""
    heading("2. Backward: where the gradient of the table comes from")
    say("""Training makes one number, the loss, smaller. For that it needs the gradient of the table: how fast the loss
        grows with each of the table's numbers. The loss here is (embedding(ids) * upstream).sum(). If a number
        of the output grows by 1, the loss grows by the number of upstream in its place: upstream is the gradient of
        the output. From there the backward pass goes back along grad_fn, to the table. With 1, 2, 3, ... as upstream,
        every number can be followed.""")
    if len(ids) > len(session.names["ids"]):
        print(f"{repeat_note(ids)}:\n")
        session.run(f"ids = torch.tensor({ids})")
    session.run(f"upstream = torch.arange(1.0, {len(ids) * dim + 1}.0).reshape({len(ids)}, {dim})", "upstream")
    session.run("loss = (embedding(ids) * upstream).sum()", "loss.backward()", "embedding.weight.grad")
    say("Output n is a copy of row ids[n], so upstream[n] is added to the gradient of that row:")
    print(*origins(ids, session.names["upstream"], session.names["embedding"].weight.grad), sep="\n")
    say("""In NumPy, grad[ids] += upstream would keep only one of the rows of a repeated id; np.add.at(grad, ids,
        upstream) adds them. Now the long way, asking for the gradient of the one-hot vectors as well:""")
    session.run(f"one_hot = torch.nn.functional.one_hot(ids, {vocab}).float().requires_grad_()")
    session.run("loss = (linear(one_hot) * upstream).sum()", "loss.backward()")
    equal = """Equal again: the product's rule is one_hot.T @ upstream, and row v of one_hot.T has a 1 wherever ids is
        v, so it adds up the same rows. Whole numbers add without rounding, up to 2**24 in float32. Other sums round,
        and the two ways may add an id's rows in different orders: then the last digits can differ."""
    rounded = "Both ways add the same rows, in orders that may differ; above 2**24, float32 rounds whole numbers too."
    session.compare("equal", "embedding.weight.grad", "linear.weight.grad.T", equal, rounded)


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


def show_input(session: Session) -> None:
    """Print the gradient of the one-hot vectors and what it says, and why ids have none."""
    heading("3. The gradient of the input")
    say("The one-hot vectors are numbers, so the long way has found their gradient too:")
    session.run("one_hot.grad")
    best = "the smallest entry in a row names the best id for that position; for the last position it is"
    equal = f"""Up to rounding, entry [n, v] is the dot product of upstream[n] and row v of the table. It says how fast
        this loss grows as row v is mixed into output n. If position n had id v in place of its id u, the loss would
        change by entry [n, v] minus entry [n, u]. So {best}"""
    rounded = f"Where large numbers nearly cancel, digits are lost. Elsewhere, {best}"
    session.compare("allclose", "one_hot.grad", "upstream @ embedding.weight.T", equal, rounded)
    session.run("one_hot.grad[-1].argmin()")
    say("The ids themselves have no gradient:")
    session.run("ids.dtype, ids.requires_grad")
    say("""An id is a name, not an amount: there is no row between rows 2 and 3, so an id cannot change a little, and
        there is nothing to measure. Asking for its gradient, with ids.requires_grad_(), is an error.""")


def show_cost() -> None:
    """Print the measured time of both ways, forward and backward, as the vocabulary grows."""
    heading("4. What multiplying by 0 costs")
    say(f"""Microseconds for N = {TIMED_IDS} ids and D = {TIMED_DIM}, measured now on one thread with
        time.{CLOCK.__name__}: medians of several runs. The long way is one_hot and float, the linear layer, and back
        to the gradient of its weight.""")
    table = measured_apart()
    print("             lookup                  the long way          long way")
    print("      V   forward  backward    one_hot   forward  backward   / lookup")
    ratios = [sum(times[2:]) / sum(times[:2]) for times in table]
    for vocab, (ahead, back, *long), ratio in zip(TIMED_VOCABS, table, ratios, strict=True):
        print(f"{vocab:7,} {ahead:9,.0f} {back:9,.0f} ", *[f"{time:9,.0f}" for time in long], f"{ratio:10,.1f}")
    grown = f"At V = {vocab:,} it took {ratio:,.0f} times as long."
    disturbed = "The last column should grow with V, but these times were disturbed: run it again on an idle machine."
    say(f"""The lookup copies N * D numbers, and backward adds them to V * D zeros. The long way makes N * V numbers and
        multiplies N * V * D times in either direction, all but N * D times by 0.
        {grown if ratios == sorted(set(ratios)) else disturbed}""")


def measured_apart() -> Any:
    """What `measured` returns in a process of its own, told to keep to one thread."""
    command = [sys.executable, "-c", "from minigrad.__main__ import measured; print([*measured()])"]
    one_thread = os.environ | dict.fromkeys(THREADS, "1")
    done = subprocess.run(command, env=one_thread, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def measured() -> Iterator[list[float]]:
    """For each V, the times of the lookup (forward, backward) and of the long way (one_hot, forward, backward)."""
    for vocab in TIMED_VOCABS:
        ids = torch.randint(0, vocab, (TIMED_IDS,))
        lookup = medians(torch.nn.Embedding(vocab, TIMED_DIM), lambda ids, _: ids, ids, vocab)
        linear = torch.nn.Linear(vocab, TIMED_DIM, bias=False)
        long = medians(linear, lambda ids, size: torch.nn.functional.one_hot(ids, size).float(), ids, vocab)
        yield lookup[1:] + long


def medians(layer: torch.nn.Module, encode: Callable[..., torch.Tensor], ids: torch.Tensor, vocab: int) -> list[float]:
    """Microseconds for encoding ids, for the layer and for its backward pass: medians of five runs or more."""
    encoded, upstream = encode(ids, vocab), torch.ones(TIMED_IDS, TIMED_DIM)
    output = layer(encoded)
    steps = (
        lambda: encode(ids, vocab),
        lambda: layer(encoded),
        lambda: torch.autograd.grad(output, [*layer.parameters()], upstream, retain_graph=True),
    )
    runs = max(TIMED_VOCABS) // vocab + 4
    return [1e6 * median(repeat(step, timer=CLOCK, repeat=runs, number=1)) for step in steps]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments `ids`, `vocab`, `dim`, `seed` and `html`; SystemExit, as argparse does, if they cannot be used."""
    about = "Show, on numbers, that an embedding is a linear layer on one-hot vectors, and what it saves."
    parser = argparse.ArgumentParser("python -m minigrad", description=about)
    add = parser.add_argument
    add("ids", metavar="IDS", type=id_of, nargs="*", help="the ids to look up, from 0 to V - 1 (default: 2 3 1)")
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
            shape = f"{rows:,} x {columns:,}"
            parser.error(f"the {what} would have {shape} numbers; {MAX_NUMBERS:,} at most: take smaller ids, V or D")
    if given.html is not None:
        if len(given.ids) >= MOST_IDS or vocab > MOST_ROWS or dim > MOST_COLUMNS:
            most = f"{MOST_IDS - 1} ids, V = {MOST_ROWS} and D = {MOST_COLUMNS}"
            got = f"{len(given.ids)} ids, V = {vocab:,}, D = {dim:,}"
            parser.error(f"argument --html: a page has room for {most}; got {got}")
        if os.path.isfile(given.html) and b"<title>An Emb" not in Path(given.html).read_bytes():
            parser.error(f"argument --html: {given.html} is there, and is no such page: it is not written over")
    return given


def id_of(text: str) -> int:
    """The id that the text says; of a word, the error of argparse that says where words are typed."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected an id, got {text!r}: words are typed in the page itself") from None


def with_repeat(ids: list[int]) -> list[int]:
    """The ids themselves if one of them occurs twice; else the first once more behind them."""
    return ids if len(set(ids)) < len(ids) else [*ids, ids[0]]


def repeat_note(ids: list[int]) -> str:
    """What is said of the last of the ids where `with_repeat` has added it."""
    return f"To see an id come twice, {ids[-1]} is added at the end"


def tour(given: argparse.Namespace) -> None:
    """Print the whole story."""
    session = Session()
    print("An Embedding is a Linear layer on one-hot vectors, without multiplying by 0.")
    say("""Each line after >>> has just been run. It is PyTorch as well: with `import torch` in place of the first line,
        it prints the same, up to rounding.""")
    show_forward(session, given.ids, given.vocab, given.dim, given.seed)
    show_backward(session, with_repeat(given.ids), given.vocab, given.dim)
    show_input(session)
    show_cost()
    print("Try your own: python -m minigrad 0 4 4 4 --vocab 6 --dim 3")
    print("Move it by hand, in a browser: python -m minigrad --html FILE")
    print("Next, in the repository: docs/embedding-is-linear.md. All pages: docs/index.md")


def write_page(given: argparse.Namespace) -> None:
    """Write the page, and print where it is."""
    ids = with_repeat(given.ids)
    note = f"{repeat_note(ids)}." if len(ids) > len(given.ids) else ""
    options = f"--vocab {given.vocab} --dim {given.dim} --seed {given.seed} --html {shlex.quote(given.html)}"
    torch.manual_seed(given.seed)
    embedding = torch.nn.Embedding(given.vocab, given.dim)
    typed, shown = [" ".join(map(str, each)) for each in (given.ids, ids)]
    text = page(shown, embedding, note, f"python -m minigrad {typed} {options}")
    with replacing(given.html) as file:
        file.write(text.encode())
    print(f"Written: {given.html}. Open it in a browser.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the whole story, or write the page."""
    given = parse(arguments)
    try:
        tour(given) if given.html is None else write_page(given)
        # (It may be closed: then there is none.)
        print(end="", flush=True)
    except BrokenPipeError:
        # Whoever read has seen enough.  As Python ends it writes what is left, which is to be no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, RuntimeError) as error:
        sys.exit(f"python -m minigrad: {error}")


if __name__ == "__main__":
    main()
