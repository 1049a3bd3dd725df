"""What the example programs share: their options, the engine, the text, and steps that survive Ctrl-C."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

# Matrices as small as these are multiplied sooner by one core than by several that wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What to give to pip for an engine.
PACKAGES = {"minigrad": "-e .", "torch": "torch"}


def count(text: str) -> int:
    """The whole number that an option says, 0 or more."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected 0 or more, got {number}")
    return number


def file(text: str) -> Path:
    """The file that an option names, to be written at the end: whether it can be is not to be found out only then."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file, but {text!r} is a folder")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}: make it first")
    if not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"the folder {str(path.parent)!r} cannot be written to")
    return path


def parser(lesson: str, steps: int) -> argparse.ArgumentParser:
    """The options that all programs take; `lesson` is the program's docstring."""
    parser = argparse.ArgumentParser(description=lesson, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["minigrad", "torch"], default="minigrad", help="what is imported as torch")
    parser.add_argument("--steps", type=count, default=steps, help=f"steps of training; {steps} if not given")
    parser.add_argument("--seed", type=int, default=1, help="the first state of the random numbers")
    told = "saved to at the end and at Ctrl-C, and gone on from if it is there"
    parser.add_argument("--checkpoint", type=file, metavar="FILE", help=told)
    return parser


def engine(options: argparse.Namespace) -> Any:
    """The engine of this name, seeded: minigrad or PyTorch, the program is the same."""
    try:
        torch = importlib.import_module(options.engine)
    except ModuleNotFoundError as error:
        if error.name != options.engine:
            raise
        sys.exit(f"{options.engine} is not installed: python -m pip install {PACKAGES[options.engine]}")
    torch.manual_seed(options.seed)
    return torch


def text() -> str:
    """The novel "Persuasion" by Jane Austen."""
    return Path(__file__).with_name("persuasion.txt").read_text(encoding="ascii")


def words() -> list[str]:
    """The words of the novel in their order, in lower case."""
    return re.findall("[a-z]+", text().lower())


class Run:
    """The steps of a training, `for step in run`; each tells its losses to `run.report`, which keeps them in `losses`.

    On a terminal there is a progress bar, if tqdm is installed; else ten lines are printed on the way.  With
    --checkpoint, Ctrl-C lets the step in hand finish, saves, and ends the program; the same command goes on from there
    as if nothing had been, because the file holds all that decides the next step: the state of each of `parts` (model,
    optimiser, ...) and that of the random numbers.
    """

    def __init__(self, torch: Any, options: argparse.Namespace, read: str = "tokens", **parts: Any) -> None:
        self.torch, self.steps, self.path, self.parts = torch, options.steps, options.checkpoint, parts
        self.read = read
        self.losses: dict[str, list[float]] = {}
        self._done = self._count = 0
        self._interrupted = False
        if self.path and self.path.exists():
            self._load()

    def report(self, count: int, **losses: float) -> None:
        """Take down the losses of this step, which has read so many tokens, or what `read` says."""
        self._count += count
        for name, loss in losses.items():
            self.losses.setdefault(name, []).append(loss)

    def __iter__(self) -> Iterator[int]:
        first, start = self._done, time.perf_counter()
        show = self._bar(start) if tqdm and sys.stdout.isatty() else self._lines(start)
        next(show)
        usual = signal.signal(signal.SIGINT, self._interrupt) if self.path else None
        try:
            while self._done < self.steps:
                yield self._done
                self._done += 1
                next(show)
                if self._interrupted:
                    self._save()
                    show.close()
                    print(f"stopped after step {self._done}; the same command goes on from there")
                    sys.exit(128 + signal.SIGINT)
            if self.path and self._done > first:
                self._save()
        finally:
            show.close()
            if self.path:
                signal.signal(signal.SIGINT, usual)
        print(f"{self._done - first} steps in {time.perf_counter() - start:.1f} s")

    def _bar(self, start: float) -> Generator[None]:
        with tqdm(total=self.steps, initial=self._done, file=sys.stdout) as bar:
            while True:
                yield
                bar.set_postfix_str(self._told(1, start), refresh=False)
                bar.update()

    def _lines(self, start: float) -> Generator[None]:
        every = max(1, self.steps // 10)
        while True:
            yield
            if self._done % every == 0:
                count = f"{self._done:>{len(str(self.steps))}}/{self.steps}"
                print(f"step {count}  {self._told(every, start)}", flush=True)

    def _told(self, last: int, start: float) -> str:
        """The means of the last losses, and the speed since `start`."""
        means = [f"{name} {sum(losses[-last:]) / last:.4f}" for name, losses in self.losses.items()]
        return "  ".join([*means, f"{self._count / (time.perf_counter() - start):,.0f} {self.read}/s"])

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True

    def _save(self) -> None:
        state = {name: part.state_dict() for name, part in self.parts.items()}
        state |= {"random": self.torch.get_rng_state(), "step": self._done, "losses": self.losses}
        # To a new file that then takes the name: whatever happens on the way, the file of this name is whole.
        new = self.path.with_name(f"new-{self.path.name}")
        self.torch.save(state, new)
        os.replace(new, self.path)

    def _load(self) -> None:
        state = self.torch.load(self.path)
        for name, part in self.parts.items():
            part.load_state_dict(state[name])
        self.torch.set_rng_state(state["random"])
        self._done, self.losses = state["step"], state["losses"]
        print(f"going on after step {self._done}")
