"""The core: tensors, the tape and the two directions of an embedding, on NumPy and the standard library alone.

Each file imports from those before it: `dtypes`, `modes`, `tensor`, `tape`, `arrays`, `ops`,
`embedding`, `linear`, `walk`.
"""
