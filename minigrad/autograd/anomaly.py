"""Anomaly detection: which line of the forward pass made a gradient that is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.tape import seams
from minigrad.tensors.errors import PACKAGE, warn_program
from minigrad.tensors.hooks import Watch


def is_anomaly_enabled() -> bool:
    """Whether each recorded operation remembers where it was made, and is checked on the way back.

    >>> is_anomaly_enabled()
    False
    """
    return seams.trace is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether backward passes look for nan while anomalies are detected."""
    return set_detect_anomaly.check_nan


class set_detect_anomaly:
    """From this call on anomalies are detected or not, by all threads; in a `with` statement, until its end.

    >>> with set_detect_anomaly(True):
    ...     is_anomaly_enabled()
    True
    """

    check_nan = True

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._earlier = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self._turn(mode, check_nan)

    def _turn(self, mode: bool, check_nan: bool) -> None:
        set_detect_anomaly.check_nan = check_nan
        seams.trace, seams.backward = (traced, checked_backward) if mode else (None, None)

    def __enter__(self) -> None:
        """Nothing is left to do: the call has turned the switch."""

    def __exit__(self, *exception: object) -> None:
        self._turn(*self._earlier)


class detect_anomaly(set_detect_anomaly):
    """In a `with` block, each recorded operation remembers where it was made, and backward passes look for nan.

    The first gradient that is nan raises a RuntimeError, after a warning that shows the line of the forward pass.

    >>> import minigrad as torch
    >>> x = torch.zeros(1, requires_grad=True)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with detect_anomaly():
    ...         (x.sqrt() * 0).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warn_program(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )

    def __enter__(self) -> None:
        super().__init__(True, self._check_nan)


def traced() -> Watch:
    """A watch that knows the lines of the program that led here, without those of this package."""
    import traceback  # a module that no program needs until it looks for an anomaly

    frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)]
    return Watch(trace="".join(traceback.format_list(frames)))


def checked_backward(node: Any, g: Any) -> list[Any]:
    """What `node.backward(g)` returns; if it raises or makes a nan, first a warning tells where `node` was made."""
    try:
        gradients = list(node.backward(g))
        if is_anomaly_check_nan_enabled():
            for position, gradient in enumerate(gradients):
                entries = gradient._values() if gradient is not None and gradient.is_sparse else gradient
                if entries is not None and np.isnan(entries._array).any():
                    raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th output.")
    except Exception:
        trace = None if node.watch is None else node.watch.trace
        known = f"Traceback of forward call that caused the error:\n{trace}"
        unknown = "No forward pass information available. Enable detect anomaly during forward pass for more."
        warn_program(f"Error detected in {node.name()}. {unknown if trace is None else known}")
        raise
    return gradients
