"""How fast minigrad is, beside the same computation written by hand in NumPy, and beside PyTorch where it is installed.

    python -m tests.benchmarks [--quick] [--write] [part of a name …]

A workload is a function that returns two implementations: the *floor*, forward and backward by hand in the best known
expressions of NumPy, and a *program*, which gets `minigrad` or `torch` as its argument: one text for both.
"""
