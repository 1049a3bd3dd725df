"""Python's own processes, as in PyTorch; a tensor that one hands to another is copied.

To have tensors in memory that processes share, there is no `share_memory`; and no `spawn`.
"""

from multiprocessing import *  # noqa: F403

from minigrad.tensors.errors import advised

globals().update(advised(__name__, []))
