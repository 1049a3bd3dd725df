"""What is answered about hardware that is not there, in `torch.cuda`, `mps`, `accelerator` and `backends` alike."""

from typing import NoReturn


def no(*args: object, **kwargs: object) -> bool:
    """False."""
    return False


def zero(*args: object, **kwargs: object) -> int:
    """0."""
    return 0


def nothing(*args: object, **kwargs: object) -> None:
    """None, and nothing is done."""


def seed_of_none(seed: int) -> None:
    """Nothing is done with the seed, which has to be a whole number: there are no generators but the CPU's."""
    int(seed)


def refused(*args: object, **kwargs: object) -> NoReturn:
    """An AssertionError, as in PyTorch's CPU build: ask `is_available()` first."""
    raise AssertionError(
        "Torch not compiled with CUDA enabled: minigrad computes on the CPU. Ask torch.cuda.is_available() first"
    )
