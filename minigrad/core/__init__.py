"""The core: tensors, the tape and the two directions of an embedding, on NumPy and the standard library alone."""
