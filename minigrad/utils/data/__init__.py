"""From a collection of examples to batches of tensors, in PyTorch's order for the same seed."""

from minigrad.tensors.errors import advised
from minigrad.utils.data.dataloader import DataLoader, default_collate, default_convert, get_worker_info
from minigrad.utils.data.dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from minigrad.utils.data.distributed import DistributedSampler
from minigrad.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler

__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "default_collate",
    "default_convert", "get_worker_info", "random_split",
]  # fmt: skip

globals().update(advised(__name__, __all__))
