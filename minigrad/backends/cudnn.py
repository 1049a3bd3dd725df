"""NVIDIA's library of layers: not there.  What programs set here is remembered, and without effect."""

from minigrad.tensors.machine import no, nothing

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

is_available = no
version = nothing
enabled = allow_tf32 = True
benchmark = deterministic = False
