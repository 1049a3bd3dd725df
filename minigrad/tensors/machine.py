"""What programs ask and tell PyTorch about the machine: threads, devices, compilers, precision, accelerators, versions.

Questions are answered as PyTorch answers them on a machine without accelerators.  Settings have no effect, since NumPy
decides how it computes; they are remembered if there is a question for them.

>>> import minigrad as torch
>>> "cuda" if torch.cuda.is_available() else "cpu"
'cpu'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from minigrad.core.dtypes import dtype, float16, float32
from minigrad.tensors.devices import CPU, check_on_cpu, device
from minigrad.tensors.errors import add_module, warn_program

__all__ = [
    "GradScaler", "autocast", "compile", "get_default_device", "get_num_threads", "set_default_device",
    "set_float32_matmul_precision", "set_num_threads", "use_deterministic_algorithms",
]  # fmt: skip

_num_threads = 0


def keep_freed_memory() -> None:
    """From now on the process keeps up to 64 MB that were freed, on Linux, unless MALLOC_MMAP_THRESHOLD_ is set.

    glibc gives the memory of large arrays back, and gets it again page by page, until an array of almost 32 MB, here
    of no content, has been freed.  It makes the step of a small GPT 1.6 times as fast.
    """
    np.empty(2**25 - 2**14, np.uint8)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: object = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """`model` itself, a module or a function: there is no compiler, and PyTorch's changes no result either.

    Without a model, a decorator.

    >>> import minigrad as torch
    >>> @torch.compile
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return (lambda model: model) if model is None else model


def get_num_threads() -> int:
    """The number of threads that `set_num_threads` was told, at first that of processors."""
    return _num_threads or os.cpu_count() or 1


def set_num_threads(num: int, /) -> None:
    """Say how many threads an operation may use: remembered, while NumPy's libraries go by OMP_NUM_THREADS."""
    global _num_threads
    _num_threads = num


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for results that are the same each time: they always are."""


def set_float32_matmul_precision(precision: str) -> None:
    """Allow, with "high" or "medium", float32 products of fewer digits: on the CPU they keep them all."""
    if precision not in ("highest", "high", "medium"):
        warn_program(f"{precision} is not one of 'highest', 'high', and 'medium': nothing is set")


def set_default_device(device: device | str | None) -> None:
    """Do nothing for "cpu" or None, where all tensors are; an error for any other device."""
    check_on_cpu(CPU if device is None else device)


def get_default_device() -> device:
    """Where new tensors are: on the CPU."""
    return CPU


# ---- the modules that answer for hardware and versions ---------------------------------------------------------------


def no(*args: object, **kwargs: object) -> bool:
    """False."""
    return False


def zero(*args: object, **kwargs: object) -> int:
    """0."""
    return 0


def nothing(*args: object, **kwargs: object) -> None:
    """None, and nothing is done."""


def ignored_seed(seed: int) -> None:
    """Ignore the seed, which has to be a whole number: there are no generators but the CPU's."""
    int(seed)


def refused(*args: object, **kwargs: object) -> NoReturn:
    """An AssertionError, as in PyTorch's CPU build: ask `is_available()` first."""
    raise AssertionError("Torch not compiled with CUDA enabled: minigrad computes on the CPU. Ask cuda.is_available()")


def no_process_group(*args: object, **kwargs: object) -> NoReturn:
    """A ValueError, as in PyTorch before `init_process_group`: ask `is_initialized()` first."""
    raise ValueError("Default process group has not been initialized: ask distributed.is_initialized()")


# ---- mixed precision -------------------------------------------------------------------------------------------------


class autocast(ContextDecorator):
    """Lower precision on an accelerator: there is none, so the block computes as it stands, after PyTorch's warning.

    Errors: NotImplementedError on the CPU, where PyTorch would compute in bfloat16 or float16.

    >>> import minigrad as torch
    >>> with torch.autocast("cuda", enabled=False):
    ...     (torch.ones(2, 2) @ torch.ones(2)).dtype
    torch.float32
    """

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        kind = device(device_type).type
        if enabled and kind == "cpu" and dtype is not float32:
            raise NotImplementedError("autocast computes in float32: give enabled=False, or dtype=torch.float32")
        if enabled and kind == "cuda":
            warn_program("CUDA is not available or torch_xla is imported. Disabling autocast.")

    def __enter__(self) -> autocast:
        return self

    __exit__ = nothing


class GradScaler:
    """Scales losses for float16 on an accelerator; since there is none, it leaves losses and gradients as they are.

    Errors: NotImplementedError on the CPU, where PyTorch would scale them, unless `enabled` is False.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device != "cuda":
            raise NotImplementedError("float32 needs no scaling: give GradScaler enabled=False")
        if enabled:
            warn_program("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")

    def scale(self, outputs: Any) -> Any:
        """The loss as it is."""
        return outputs

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer."""
        return optimizer.step(*args, **kwargs)

    unscale_ = update = load_state_dict = nothing
    is_enabled = no

    def get_scale(self) -> float:
        """1."""
        return 1.0

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}


def _cuda_autocast(enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True) -> autocast:
    warn_program(_OLD_NAME.format("autocast"), FutureWarning)
    return autocast("cuda", dtype, enabled)


def _cuda_scaler(*args: Any, **kwargs: Any) -> GradScaler:
    warn_program(_OLD_NAME.format("GradScaler"), FutureWarning)
    return GradScaler("cuda", *args, **kwargs)


_OLD_NAME = "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cuda', args...)` instead."


#: The members of each module, which answer, ignore or refuse what PyTorch's CPU build answers, ignores or refuses.
_MODULES: dict[str, dict[str, Any]] = {
    "cuda": dict.fromkeys(("is_available", "is_bf16_supported", "is_initialized"), no)
    | dict.fromkeys(("device_count", "memory_allocated", "max_memory_allocated"), zero)
    | dict.fromkeys(("memory_reserved", "max_memory_reserved"), zero)
    | dict.fromkeys(("manual_seed", "manual_seed_all"), ignored_seed)
    | dict.fromkeys(("synchronize", "current_device", "get_device_name"), refused)
    | dict.fromkeys(("get_device_properties", "get_device_capability"), refused)
    | {"empty_cache": nothing},
    "cuda.amp": {"autocast": _cuda_autocast, "GradScaler": _cuda_scaler},
    "amp": {"autocast": autocast, "GradScaler": GradScaler},
    "mps": {"is_available": no, "device_count": zero},
    "accelerator": {"is_available": no, "device_count": zero, "current_accelerator": nothing},
    "backends": {
        "cuda": SimpleNamespace(is_built=no, matmul=SimpleNamespace(allow_tf32=False)),
        "mps": SimpleNamespace(is_available=no, is_built=no),
    },
    "backends.cudnn": {"is_available": no, "version": nothing}
    | {"enabled": True, "allow_tf32": True, "benchmark": False, "deterministic": False},
    "distributed": dict.fromkeys(("is_available", "is_initialized"), no)
    | dict.fromkeys(("all_gather", "all_reduce", "barrier", "broadcast", "destroy_process_group"), no_process_group)
    | dict.fromkeys(("get_rank", "get_world_size", "init_process_group", "reduce"), no_process_group),
    "version": {"debug": False, "cuda": None, "hip": None},
}


def add_modules(package: Any) -> None:
    """Add the modules of the table to the package and its `__all__`, as `import minigrad.cuda` would from files."""
    for path, answers in _MODULES.items():
        name = f"{package.__name__}.{path}"
        add_module(name, told="What PyTorch says on a machine without accelerators.", **answers)
        sys.modules[name.rpartition(".")[0]].__all__.append(name.rpartition(".")[2])
    package.version.__version__ = package.__version__
