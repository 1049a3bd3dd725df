"""Who asks whether a sampler is one for several processes finds the class, and none of its instances."""

from minigrad.tensors.machine import of_group
from minigrad.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """The share of a dataset that one of several processes draws: a ValueError, since there is no group of them."""

    __init__ = of_group
