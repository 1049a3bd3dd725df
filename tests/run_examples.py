"""Run the example programs, whole or also interrupted twice, and print what they did as JSON: see test_examples.py.

They have a process of their own, because they choose to have one thread, and that has to be before NumPy is there.
"""

import contextlib
import io
import json
import runpy
import signal
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
PROGRAMS = {"bigram": [], "mlp": [], "gpt": ["--letters", "30"], "word_vectors": [], "lenet": [], "name_languages": []}

sys.path.insert(0, str(EXAMPLES))
import common  # noqa: E402  # the programs' own, beside them

report = common.Run.report


def run(program: str, *options: str, interrupt_after: int = 0) -> dict[str, Any]:
    """What the program printed, the losses of its steps unless it was ended, and its exit code."""

    def reporting(self: common.Run, *arguments: Any, **losses: float) -> None:
        report(self, *arguments, **losses)
        if len(next(iter(self.losses.values()))) == interrupt_after:
            signal.raise_signal(signal.SIGINT)

    common.Run.report = reporting
    sys.argv = [f"{program}.py", "--steps", "10", *options]
    printed, losses, code = io.StringIO(), None, 0
    with contextlib.redirect_stdout(printed):
        try:
            losses = runpy.run_path(str(EXAMPLES / f"{program}.py"), run_name="__main__")["run"].losses
        except SystemExit as end:
            code = end.code
    return {"printed": printed.getvalue(), "losses": losses, "code": code}


if __name__ == "__main__":
    _, engine, *interrupted = sys.argv
    # The picture takes longer than all steps, and has a test of its own.
    sys.modules["matplotlib"] = None  # type: ignore[assignment]
    runs: dict[str, list[dict[str, Any]]] = {}
    for program, own in PROGRAMS.items():
        options = ["--engine", engine, *own]
        runs[program] = [run(program, *options)]
        if interrupted:
            options += ["--checkpoint", f"{program}.pt"]
            runs[program] += [run(program, *options, interrupt_after=step) for step in (3, 7, 0)]
    print(json.dumps(runs))
