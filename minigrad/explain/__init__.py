"""What a backward pass does, told and drawn; beyond PyTorch, and imported by nothing else.

`backward` runs a backward pass and returns its story, `graph` draws what it will walk, and `lookup` draws an embedding
and its gradient beside the product with one-hot vectors.

>>> import minigrad as torch
>>> from minigrad import explain
>>> w = torch.tensor([1.0, 2.0], requires_grad=True)
>>> loss = (w * w).sum()
>>> explain.backward(loss, names={"w": w, "loss": loss})
backward from loss = 5.
<BLANKLINE>
step   operation              rule                        went out to
start  loss = 5.              1, as none is given         step 1: ()
                                                          1.
1      SumBackward0           dx = g for each addend, in  step 2: (2,)
       The sum of x over the  x's shape                   [1., 1.]
       dimensions dims
       came in: ()
       1.
2      MulBackward0           da = g * b                  w.grad: (2,)
       a * b                  b = [1., 2.]                [1., 2.]
       came in: (2,)
       [1., 1.]
                              db = g * a                  w.grad, added: (2,)
                              a = [1., 2.]                [1., 2.]
<BLANKLINE>
tensor  shape  from    .grad before  .grad now
w       (2,)   step 2  None          [2., 4.]
               step 2
"""

from minigrad.explain.graph import Graph, graph
from minigrad.explain.picture import Picture, lookup
from minigrad.explain.story import Leaf, Passed, Step, Story, Value, backward

__all__ = ["Graph", "Leaf", "Passed", "Picture", "Step", "Story", "Value", "backward", "graph", "lookup"]
