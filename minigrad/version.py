"""What programs ask about the version of PyTorch and of what it computes with: here, NumPy alone."""

from minigrad import __version__

__all__ = ["__version__", "cuda", "debug", "hip"]

debug = False
cuda: str | None = None
hip: str | None = None
