"""Rows of the table, a line each: sparse tensors, and the sparse gradients of lookups and bags."""

import numpy as np
from table import calls

PLACES, VALUES = np.array([[2, 0, 2]]), [[1.5, -2.0], [3.0, 4.0], [5.0, 6.5]]
FLOATS = ("float32", "float64")

# ---- what a sparse tensor is, and how it is made ---------------------------------------------------------------------

calls(
    """
    torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0])
    torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3, 4, 5], (2, 4))
    torch.sparse_coo_tensor(indices=[[0]], values=[1.0], size=(2,))
    torch.sparse_coo_tensor(i, v)
    torch.sparse_coo_tensor([[0, 1]], torch.ones(2, 3, 2), torch.Size([2, 3, 2]))
    torch.sparse_coo_tensor(i, v, (4, 2), dtype=torch.float64)
    torch.sparse_coo_tensor([[0]], L([1.5]), (2,), dtype=torch.int64)
    torch.sparse_coo_tensor([[0, 1, 1]], [True, False, True], (2,)).coalesce()
    torch.sparse_coo_tensor([[0, 0]], L([100, 100], dtype=torch.int8), (2,)).coalesce()
    torch.sparse_coo_tensor(i.int(), v)._indices().dtype
    torch.sparse_coo_tensor(torch.zeros(1, 0).long(), torch.zeros(0, 3), (4, 3)).coalesce()
    torch.sparse_coo_tensor([[1, 0, 1], [2, 1, 2]], v[:, 0], (2, 3)).coalesce()
    torch.sparse_coo_tensor([[1, 0, 1], [2, 1, 2]], v, (2, 3, 2)).to_dense()
    torch.sparse_coo_tensor(torch.zeros(0, 3).long(), v[:, 0], ()).coalesce()
    torch.sparse_coo_tensor([0, 1], [1.0, 2.0], (2,))
    torch.sparse_coo_tensor([[0, 1]], [1.0], (2,))
    torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2, 2))
    torch.sparse_coo_tensor([[0]], [[1.0, 2.0]], (2, 3))
    torch.sparse_coo_tensor([[5]], [1.0], (2,), check_invariants=True)
    torch.sparse_coo_tensor([[-1]], [1.0], (2,), check_invariants=True)
    torch.sparse_coo_tensor([[0]], [1.0], (-2,))
    torch.sparse_coo_tensor()
    torch.eye(3).to_sparse()
    L(2.0).to_sparse()
    torch.zeros(2, 3).to_sparse()
    v.to_sparse(1)
    v.to_sparse(0)
    v.to_sparse(3)
    torch.arange(12).reshape(2, 3, 2).to_sparse(2)
    """,
    *FLOATS,
    i=PLACES,
    v=VALUES,
)
calls(
    """
    s
    c
    s.detach()
    s.clone()
    s.double()
    s.long()
    s.half().dtype
    s.float() is s
    [(repr(x.layout), x.shape, x.ndim, x.dim(), x.numel(), x.nelement(), len(x), x.size(0), x.size()) for x in (s, c)]
    [(x.is_sparse, x.itemsize, x._nnz(), x.sparse_dim(), x.dense_dim(), x.is_coalesced(), x.type()) for x in (s, c)]
    [(x.is_leaf, x.requires_grad, x.is_floating_point(), x.device, x.grad_fn is None) for x in (s, c)]
    (d.is_sparse, d.to_dense() is d)
    c.coalesce() is c
    s.to_sparse(1) is s
    s.indices()
    s.values()
    [each * 1 for each in (c.indices(), c.values(), s._indices(), s._values())]
    [x.to_dense() for x in (s, c, s.detach())]
    s.exp()
    s == s
    s.requires_grad_()
    """,
    *FLOATS,
    before="s = torch.sparse_coo_tensor(i, v, (4, 2)); c = s.coalesce()",
    i=PLACES,
    v=VALUES,
    d=np.arange(8.0).reshape(4, 2).tolist(),
)

# ---- arithmetic, which updates by hand need --------------------------------------------------------------------------

calls(
    """
    (s * 2).to_dense()
    (2 * s)
    (s / 4).to_dense()
    (-s).to_dense()
    (c * 2).is_coalesced()
    (s * L(2.0, dtype=s.dtype)).to_dense()
    (s.long() * 2.5).to_dense()
    (s * d).to_dense()
    (d * c).to_dense()
    (s * torch.ones(2, dtype=s.dtype)).to_dense()
    s * torch.ones(5, 2)
    s / d
    s.sum()
    s.sum(dtype=torch.float64)
    s.norm()
    s.norm(1)
    s.norm(inf)
    s.long().norm()
    (c + c).is_coalesced()
    (c + c).to_dense()
    (s + c).is_coalesced()
    (s + c).to_dense()
    (s - 2 * c).to_dense()
    s.add(c, alpha=-0.5).to_dense()
    s.sub(c, alpha=3).to_dense()
    (s + s.double()).dtype
    d + s
    d - s
    d.add(s, alpha=2)
    torch.sub(d, c)
    torch.add(d, c, alpha=-1)
    (d * 1).add_(s, alpha=2)
    (d * 1).sub_(s, alpha=0.5) * 1
    (d * 1).add_(c.detach())
    d.double().add_(s)
    d.detach().long().add_(s.detach().long(), alpha=3)
    d.detach().long().add_(s.detach())
    torch.ones(4, 2, dtype=torch.float64).add_(s.detach().int() * 2**28, alpha=0.5)
    s + 1
    s + d
    torch.ones(2, dtype=s.dtype) + s
    torch.ones(2, 4, 2, dtype=s.dtype).add_(s)
    s + torch.sparse_coo_tensor([[0]], torch.ones(1, 2), (5, 2))
    s + torch.sparse_coo_tensor([[0], [0]], torch.ones(1), (4, 2))
    s + "text"
    s.mul("text")
    s.detach().clone().mul_(2)
    s.detach().clone().div_(2)
    s.detach().clone().mul_(d.detach())
    [(x := s.detach().clone()).zero_(), x._nnz(), x.is_coalesced(), x._version]
    c.detach().clone().add_(c.detach())
    c.detach().clone().sub_(c.detach(), alpha=2)
    [x.add_(c.detach()) is x for x in (s.detach().clone(), c.detach().clone())]
    s.detach().long().mul_(2.5)
    s.detach().clone().add_(d.detach())
    [(x := c.detach().clone()).values().mul_(2), x]
    [(x := s.detach().clone()).data.mul_(2), x]
    """,
    *FLOATS,
    before="s = torch.sparse_coo_tensor(i, v, (4, 2)); c = s.coalesce()",
    i=PLACES,
    v=VALUES,
    d=np.arange(8.0).reshape(4, 2).tolist(),
)

# ---- gradients of lookups and bags -----------------------------------------------------------------------------------

TABLE = np.arange(12.0).reshape(4, 3) / 4
calls(
    """
    torch.autograd.grad((y**2).sum(), w)
    torch.autograd.grad((y**2).sum(), w, create_graph=True)
    torch.autograd.grad(torch.autograd.grad((y**3).sum(), w, create_graph=True)[0].to_dense().pow(2).sum(), w)
    torch.autograd.grad(torch.autograd.grad((y**3).sum(), w, create_graph=True)[0].coalesce().values().sum(), w)
    torch.autograd.grad(torch.autograd.grad((y**3).sum(), w, create_graph=True)[0].sum(), w)
    torch.autograd.grad(F.embedding(i[0, 0], w, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i[:0], w, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i.int(), w, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w, padding_idx=-2, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w, scale_grad_by_freq=True, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w, max_norm=1.5, sparse=True).sum(), w)
    [found for _ in range(3) for found in [(y.sum().backward(retain_graph=True), w.grad)[1]] + [w.grad.coalesce()]]
    [(y.sum() + (w * w).sum()).backward(), w.grad]
    [((w * w).sum() + y.sum()).backward(), w.grad]
    [y.sum().backward(), (w * w).sum().backward(), w.grad]
    [(w * w).sum().backward(), y.sum().backward(), w.grad]
    [w.register_hook(lambda g: g * 2) and None, y.sum().backward(), w.grad]
    [w.register_hook(lambda g: g.to_dense()) and None, y.sum().backward()]
    [(z := w * 3).retain_grad(), F.embedding(i, z, sparse=True).sum().backward(), z.grad, w.grad]
    [y.sum().backward(), w.detach().add_(w.grad, alpha=-0.5), w._version]
    [y.sum().backward(), w.data - 0.5 * w.grad.data]
    [y.sum().backward(), w.grad.zero_()]
    torch.autograd.grad(F.embedding(i, w * 2, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w * w.detach(), sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w**2, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, -w / 2, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w + 1, sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w.clone(), sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w.view(4, 3), sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w.tanh(), sparse=True).sum(), w)
    torch.autograd.grad(F.embedding(i, w.half(), sparse=True).sum(), w)
    torch.autograd.grad((F.embedding_bag(i, w, mode="sum", sparse=True) * w[:2]).sum(), w)
    torch.autograd.grad((F.embedding_bag(i, w, mode="mean", sparse=True) * g).sum(), w)
    torch.autograd.grad((F.embedding_bag(i[0], w, L([0, 0]), mode="sum", sparse=True) * g).sum(), w)
    torch.autograd.grad((F.embedding_bag(i, w, mode="sum", padding_idx=2, sparse=True) * g).sum(), w)
    torch.autograd.grad((F.embedding_bag(i, w, mode="sum", scale_grad_by_freq=True, sparse=True) * g).sum(), w)
    F.embedding_bag(i, w, mode="max", sparse=True)
    torch.autograd.grad((F.embedding_bag(i, w, mode="sum", per_sample_weights=g[:, :2], sparse=True) * g).sum(), w)
    torch.nn.EmbeddingBag(4, 3, mode="max", sparse=True)(i)
    """,
    *FLOATS,
    before="y = F.embedding(i, w, sparse=True); g = torch.arange(6.0, dtype=w.dtype).reshape(2, 3)",
    i=np.array([[2, 0], [2, 1]]),
    w=TABLE.tolist(),
)
