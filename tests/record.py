"""Record PyTorch's results for fixed operands of every row of the table of ops.

    python -m tests.record

Rows that are recorded keep their operands; new rows get some, chosen from what they draw: those that show most, and on
which minigrad agrees.  Results that differ from those recorded are told, not overwritten; name their rows to do so.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import recorded
import torch
from comparing import Plain
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from table import Case

import minigrad

DRAWN = 20
CHOSEN = 5
LARGEST = 160  # elements, of operands and results


def drawn(case: Case, count: int = DRAWN) -> list[dict[str, Any]]:
    """Examples from the row's own strategy, each also with numbers of all digits."""
    found: list[dict[str, Any]] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        operands = data.draw(case.operands)
        usual = data.draw(st.sampled_from([True, True, False]))
        grads = [usual or data.draw(st.booleans()) for _ in operands]
        seed = len(found)
        found.append({"operands": operands, "grads": grads, "seed": seed, "digits": False})
        fine = tuple([_all_digits(each, seed) for each in operands])
        found.append({"operands": fine, "grads": grads, "seed": seed, "digits": True})

    draw()
    return found


def _all_digits(operand: Any, seed: int) -> Any:
    if not isinstance(operand, np.ndarray) or operand.dtype.kind != "f":
        return operand
    fine = np.empty_like(operand)  # In the same layout, as far as it is one without gaps.
    fine[...] = recorded.all_digits(operand, np.random.RandomState(seed))
    return fine


def size(value: Any) -> int:
    """How many elements there are in all arrays."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, Plain):
        return value.array.size
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    return sum(map(size, value)) if isinstance(value, list | tuple) else 0


def features(example: dict[str, Any]) -> Iterator[Any]:
    """What an example shows that another may not."""
    seen = example["seen"]
    yield "out", seen["out"].get("raised") or seen["out"].get("type")
    yield "digits", example["digits"] and bool(seen.get("first"))
    yield "order", len(seen.get("first", ())), sum(map(len, filter(None, seen.get("second", ()))))
    yield "grads", tuple(example["grads"])
    for position, operand in enumerate(example["operands"]):
        if isinstance(operand, np.ndarray):
            yield position, "dtype", operand.dtype.name
            yield position, "size", min(operand.size, 2), operand.ndim
            yield position, "layout", operand.flags.c_contiguous
            yield position, "special", operand.dtype.kind == "f" and not np.isfinite(operand).all()
            yield position, "ties", operand.size > len(np.unique(operand)), (operand == 0).any()
        elif not isinstance(operand, Plain):
            yield position, repr(operand)


def richness(example: dict[str, Any]) -> tuple[Any, ...]:
    """How much can go wrong: gradients of gradients, gradients, a result; many numbers, of all digits."""
    seen = example["seen"]
    first = [d for gradients in seen.get("first", ()) for d, _ in gradients]
    second = sum(map(len, filter(None, seen.get("second", ()))))
    different = sum(len(np.unique(d[np.isfinite(d)])) for d in first)
    return second > 0, bool(first), "raised" not in seen["out"], min(different, 12), example["digits"]


def chosen(case: Case) -> tuple[list[dict[str, Any]], list[str]]:
    """The examples of a new row, and where minigrad differs in what was drawn."""
    fit, differences = [], []
    for example in drawn(case, 6 if case.line else DRAWN):
        example["seen"] = recorded.observed(torch, case, example)
        if size(example) > LARGEST:
            continue
        try:
            got = recorded.observed(minigrad, case, example)
            if "raised" in got["out"] and "raised" not in example["seen"]["out"]:
                continue
            recorded.compare(example["seen"], got, case, example, slack=0.5)
        except AssertionError as error:
            if not example["digits"]:
                differences.append(f"{case}: {example['operands']}: {str(error).strip().splitlines()[0]}")
            continue
        fit.append(example)
    fit.sort(key=richness, reverse=True)
    taken: list[dict[str, Any]] = []
    known: set[Any] = set()
    while fit and len(taken) < CHOSEN:
        # More than half of them with gradients, where there are any that show more.
        new = [len(set(features(each)) - known) for each in fit]
        sloping = [n * bool(each["seen"].get("first")) for n, each in zip(new, fit, strict=True)]
        if any(sloping) and len(taken) <= CHOSEN // 2:
            new = sloping
        if not max(new):
            break
        taken.append(fit.pop(new.index(max(new)) if taken else 0))
        known |= set(features(taken[-1]))
    return marked(case, taken), differences


def in_double(operand: Any) -> Any:
    """The operand in float64, its numbers within reach of differences."""
    if not isinstance(operand, np.ndarray) or operand.dtype.kind != "f":
        return operand
    return np.where(np.abs(operand) <= 5, operand, 0.5).astype(np.float64)


def is_smooth(case: Case, example: dict[str, Any]) -> bool:
    """Whether PyTorch's derivatives are those of differences: not at kinks, nor where numbers are huge."""
    try:
        recorded.check_differences(torch, case, example)
    except Exception:
        return False
    return True


def marked(case: Case, taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The examples, told which are smooth; one more if none is."""
    for example in taken:
        example["smooth"] = not case.line and bool(example["seen"].get("first")) and is_smooth(case, example)
    if (
        case.line
        or any(example["smooth"] for example in taken)
        or not any(example["seen"].get("first") for example in taken)
    ):
        return taken
    for example in [*taken, *drawn(case, 5 * DRAWN)]:
        double = {
            **example,
            "operands": tuple(map(in_double, example["operands"])),
            "grads": [True] * len(example["grads"]),
        }
        try:
            double["seen"] = recorded.observed(torch, case, double)
            if size(double) > LARGEST or not double["seen"].get("first") or not is_smooth(case, double):
                continue
            recorded.compare(double["seen"], recorded.observed(minigrad, case, double), case, double)
        except Exception:
            continue
        return [*taken, {**double, "smooth": True}]
    return taken


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.record", description=__doc__)
    parser.add_argument("anew", nargs="*", help="names whose rows get operands anew, such as Tensor.add; else new rows")
    arguments = parser.parse_args()
    before: dict[str, Any] = recorded.read()["rows"] if recorded.FILE.exists() else {}
    after: dict[str, Any] = {}
    told = 0
    for name, case in [row for family in recorded.rows().values() for row in family]:
        if name not in before or not {case.line, *case.covers.split()}.isdisjoint(arguments.anew):
            after[name], differences = chosen(case)
            print(f"new: {name}: {len(after[name])} examples", *differences, sep="\n  ", flush=True)
            continue
        after[name] = before[name]
        for example in before[name]:
            try:
                recorded.compare(example["seen"], recorded.observed(torch, case, example), case, example)
            except AssertionError as error:
                told += 1
                print(f"differs from what was recorded: {name}: {error}")
    for name in before.keys() - after.keys():
        print(f"no row any more: {name}")
    recorded.write({"torch": str(torch.__version__), "rows": after})
    print(f"{len(after)} rows, {sum(map(len, after.values()))} examples, {recorded.FILE.stat().st_size} bytes")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
