"""The methods of `Tensor`, a family per file: classes that `minigrad.tensor` puts together.

A method checks its arguments and calls one op from `minigrad.ops`; `forms` makes the in-place form and the function
of the same name from it.
"""
