"""How fast minigrad is beside PyTorch, and beside NumPy by hand where that is one call.

    python -m tests.benchmarks [--quick] [--write] [part of a call …]

The sweep calls every public op, layer, loss, optimiser's step and draw at three sizes, forward, and forward and
backward; then come whole training steps, as lessons have them. A call is one text for both packages.
"""
