"""Rows of the real tier: shapes, orders of dimensions, parts, diagonals, joins, grids, and products of matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch

V, M, S, B = (3,), (2, 3), (3, 3), (4, 2, 3)
REPEATS = np.array([2, 0, 3])


def windows(x: Array, size: int, step: int) -> Array:
    """The windows along the last dimension, by their definition."""
    return np.stack([x[..., i : i + size] for i in range(0, x.shape[-1] - size + 1, step)], -2)


def first_and_last(parts: Any) -> Any:
    """The product of the first part and the last: no gradient arrives for those between them."""
    return parts[0] * parts[-1]


def embedded(x: Array, offset: int = 0) -> Array:
    """Matrices with `x` on a diagonal, row by row."""
    rows = [np.diag(row, offset) for row in x.reshape(-1, x.shape[-1])]
    return np.stack(rows).reshape(*x.shape[:-1], *rows[0].shape)


def t_of(x: Any) -> Any:
    """The repeats as what x is: a tensor or an array."""
    return torch.from_numpy(REPEATS) if isinstance(x, torch.Tensor) else REPEATS


CASES += [
    # ---- shapes ----
    Case("flatten, some dims", lambda a: a.flatten(1), [B], lambda a: a.reshape(4, 6)),
    Case("flatten, of what is not contiguous", lambda a: a.mT.flatten(0, 1), [B], lambda a: a.mT.reshape(12, 2)),
    Case("ravel", lambda a: a.mT.ravel(), [M], lambda a: a.T.reshape(-1)),
    Case("unflatten", lambda a: a.unflatten(1, (3, -1)), [(2, 6)], lambda a: a.reshape(2, 3, 2)),
    Case("view_as", lambda a, b: a.view_as(b) * b, [(2, 3), (3, 2)], lambda a, b: a.reshape(3, 2) * b),
    Case("reshape_as", lambda a, b: a.T.reshape_as(b) * b, [(2, 3), (6,)], lambda a, b: a.T.reshape(6) * b),
    Case("squeeze, dims", lambda a: a.squeeze((0, 1)), [(1, 3, 1)], lambda a: a.squeeze(0)),
    Case("movedim", lambda a: a.movedim(0, -1), [B], lambda a: np.moveaxis(a, 0, -1)),
    Case("movedim, several", lambda a: a.movedim((2, 0), (0, 1)), [B], lambda a: np.moveaxis(a, (2, 0), (0, 1))),
    Case("moveaxis, 0-d", lambda a: a.moveaxis(0, 0), [()], np.copy),
    Case("swapaxes", lambda a: a.swapaxes(0, 2), [B]),
    Case("swapdims", lambda a: a.swapdims(1, -1), [B], lambda a: a.swapaxes(1, 2)),
    Case("H", lambda a: a.H, [M], np.transpose),
    Case("t_", lambda a: (a * 1).t_(), [M], np.transpose),
    Case("transpose_, then a write", lambda a: (a * 1).transpose_(0, 1).mul_(2), [M], lambda a: 2 * a.T),
    Case("swapaxes_", lambda a: (a * 1).swapaxes_(0, 1), [M], np.transpose),
    Case("swapdims_", lambda a: (a * 1).swapdims_(0, 1), [M], np.transpose),
    Case(
        "unsqueeze_, squeeze_", lambda a: (a * 1).unsqueeze_(0).unsqueeze_(-1).squeeze_(0), [M], lambda a: a[..., None]
    ),
    # ---- repeated elements ----
    Case("expand_as", lambda a, b: a.expand_as(b) * b, [(3,), M], np.multiply),
    Case("broadcast_to", lambda a: a.broadcast_to(4, 2, 3), [(2, 1)], lambda a: np.broadcast_to(a, (4, 2, 3))),
    Case("broadcast_tensors", lambda a, b: first_and_last(torch.broadcast_tensors(a, b)), [(2, 1), V], np.multiply),
    Case("repeat", lambda a: a.repeat(3, 1, 2), [M], lambda a: np.tile(a, (3, 1, 2))),
    Case("repeat, 0-d", lambda a: a.repeat(2, 2), [()], lambda a: np.tile(a, (2, 2))),
    Case("repeat, no times", lambda a: a.repeat(0, 2), [M], lambda a: np.tile(a, (0, 2))),
    Case("tile", lambda a: a.tile(2), [M], lambda a: np.tile(a, 2)),
    Case("repeat_interleave", lambda a: a.repeat_interleave(2), [M], lambda a: np.repeat(a, 2)),
    Case("repeat_interleave, a dim", lambda a: a.repeat_interleave(3, 1), [B], lambda a: np.repeat(a, 3, 1)),
    Case(
        "repeat_interleave, one each",
        lambda a: a.repeat_interleave(t_of(a), 1),
        [M],
        lambda a: np.repeat(a, REPEATS, 1),
    ),
    Case(
        "repeat_interleave, of rows", lambda a: a.repeat_interleave(t_of(a), 0), [S], lambda a: np.repeat(a, REPEATS, 0)
    ),
    # ---- parts ----
    Case("split", lambda a: first_and_last(a.split(2, 1)), [(2, 6)], lambda a: a[:, :2] * a[:, 4:]),
    Case("split, sizes", lambda a: first_and_last(a.split([1, 2, 1])), [(4, 3)], lambda a: a[:1] * a[3:]),
    Case("split, all parts", lambda a: torch.cat(a.split(2)[::-1]), [(5, 2)], lambda a: a[[4, 2, 3, 0, 1]]),
    Case("chunk", lambda a: first_and_last(a.chunk(3, -1)), [(2, 6)], lambda a: a[:, :2] * a[:, 4:]),
    Case("unbind", lambda a: first_and_last(a.unbind(1)), [B], lambda a: a[:, 0] * a[:, 1]),
    Case("unbind, one slice", lambda a: a.unbind()[2], [B], lambda a: a[2]),
    Case("iteration over rows", lambda a: sum((i + 1) * row for i, row in enumerate(a)), [B]),
    Case("select", lambda a: a.select(1, -1), [B], lambda a: a[:, -1]),
    Case("narrow", lambda a: a.narrow(2, 1, 2), [B], lambda a: a[..., 1:]),
    Case("unfold, overlapping", lambda a: a.unfold(1, 3, 1), [(2, 5)], lambda a: windows(a, 3, 1)),
    Case("unfold, in steps", lambda a: a.unfold(0, 2, 2), [(5,)], lambda a: windows(a, 2, 2)),
    Case("unfold, with gaps", lambda a: a.unfold(-1, 2, 3), [(2, 6)], lambda a: windows(a, 2, 3)),
    Case("unfold, a dim before others", lambda a: a.mT.unfold(1, 2, 1), [(4, 3)], lambda a: windows(a.T, 2, 1)),
    Case("unfold, 0-d", lambda a: a.unfold(0, 1, 1), [()], np.ravel),
    # ---- other places ----
    Case("flip", lambda a: a.flip(0, -1), [B], lambda a: a[::-1, :, ::-1]),
    Case("flip, no dims", lambda a: a.flip(()), [M], np.copy),
    Case("roll", lambda a: a.roll(2), [M], lambda a: np.roll(a, 2)),
    Case("roll, a dim", lambda a: a.roll(-1, 1), [B], lambda a: np.roll(a, -1, 1)),
    Case("roll, dims", lambda a: a.roll((1, 4), (0, 2)), [B], lambda a: np.roll(a, (1, 4), (0, 2))),
    Case("diagonal", lambda a: a.diagonal(), [M], np.diagonal),
    Case("diagonal, dims", lambda a: a.diagonal(1, 2, 0), [B], lambda a: np.diagonal(a, 1, 2, 0)),
    Case("diag, of a vector", lambda a: a.diag(-1), [V], lambda a: np.diag(a, -1)),
    Case("diag, of a matrix", lambda a: a.diag(1), [M], lambda a: np.diag(a, 1)),
    Case("diag_embed", lambda a: a.diag_embed(1), [M], lambda a: embedded(a, 1)),
    Case("diag_embed, dims", lambda a: a.diag_embed(0, 0, 2), [M], lambda a: np.moveaxis(embedded(a), (1, 2), (0, 2))),
    Case("trace", lambda a: a.trace(), [M], np.trace),
    Case("tril", lambda a: a.tril(), [S], np.tril),
    Case("tril, of matrices", lambda a: a.tril(1), [B], lambda a: np.tril(a, 1)),
    Case("triu", lambda a: a.triu(-1), [B], lambda a: np.triu(a, -1)),
    Case("tril_", lambda a: (a * 1).tril_(-1), [S], lambda a: np.tril(a, -1)),
    Case("triu_", lambda a: (a * 1).triu_(), [S], np.triu),
    # ---- joins and grids ----
    Case("hstack", lambda a, b: torch.hstack([a, b, a]), [V, (1,)], lambda a, b: np.hstack([a, b, a])),
    Case("hstack, matrices", lambda a, b: torch.hstack([a, b]), [M, (2, 1)], lambda a, b: np.hstack([a, b])),
    Case("vstack", lambda a, b: torch.vstack([a, b]), [V, M], lambda a, b: np.vstack([a, b])),
    Case("concat", lambda a, b: torch.concat([a, b], 1), [M, (2, 1)], lambda a, b: np.concatenate([a, b], 1)),
    Case("concatenate", lambda a, b: torch.concatenate([a, b]), [M, (1, 3)], lambda a, b: np.concatenate([a, b])),
    Case("cat, nothing among it", lambda a, b: torch.cat([b, a, b]), [M, (0,)], lambda a, b: a),
    Case("atleast_1d", torch.atleast_1d, [()], np.atleast_1d),
    Case("atleast_2d", torch.atleast_2d, [V], np.atleast_2d),
    Case(
        "meshgrid",
        lambda a, b: first_and_last(torch.meshgrid(a, b, indexing="ij")),
        [V, (2,)],
        lambda a, b: np.prod(np.meshgrid(a, b, indexing="ij"), 0),
    ),
    Case(
        "meshgrid, xy",
        lambda a, b: torch.meshgrid(a, b, indexing="xy")[0] - torch.meshgrid(a, b, indexing="xy")[1],
        [V, (2,)],
        lambda a, b: np.subtract(*np.meshgrid(a, b)),
    ),
    # ---- products ----
    Case("mm", lambda a, b: a.mm(b), [M, (3, 4)], np.matmul),
    Case("bmm", lambda a, b: a.bmm(b), [B, (4, 3, 2)], np.matmul),
    Case("mv", lambda a, b: a.mv(b), [M, V], np.matmul),
    Case("dot", lambda a, b: a.dot(b), [V, V]),
    Case("vdot", lambda a, b: a.vdot(b), [V, V], np.vdot),
    Case("inner", lambda a, b: a.inner(b), [B, M], np.inner),
    Case("inner, by a number", lambda a, b: a.inner(b), [(), M], np.inner),
    Case("outer", lambda a, b: a.outer(b), [V, (2,)], np.outer),
    Case("ger", lambda a, b: a.ger(b), [(2,), V], np.outer),
    Case("addmm", torch.addmm, [(2, 4), M, (3, 4)], lambda x, a, b: x + a @ b),
    Case(
        "addmm, scaled", partial(torch.addmm, beta=2, alpha=-3), [(4,), M, (3, 4)], lambda x, a, b: 2 * x - 3 * (a @ b)
    ),
    Case("addmm, beta 0", partial(torch.addmm, beta=0), [(2, 4), M, (3, 4)], lambda x, a, b: a @ b),
    Case("addmm_", lambda x, a, b: (x * 1).addmm_(a, b, beta=3), [(2, 4), M, (3, 4)], lambda x, a, b: 3 * x + a @ b),
    Case("tensordot", torch.tensordot, [B, (2, 3, 5)], np.tensordot),
    Case("tensordot, none", lambda a, b: torch.tensordot(a, b, 0), [V, M], lambda a, b: np.tensordot(a, b, 0)),
    Case(
        "tensordot, dims",
        lambda a, b: torch.tensordot(a, b, ([2, 0], [1, -1])),
        [B, (5, 3, 4)],
        lambda a, b: np.tensordot(a, b, ([2, 0], [1, -1])),
    ),
    Case(
        "tensordot, a size of 1", lambda a, b: torch.tensordot(a, b, 1), [M, (1, 4)], lambda a, b: a.sum(1)[:, None] * b
    ),
]

EINSUMS: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij->ji", [M]),
    ("ij->", [M]),
    ("ij->j", [M]),
    ("ii", [S]),
    ("ii->i", [S]),
    ("iji->j", [(3, 2, 3)]),
    ("i...->...", [B]),
    ("i,i", [V, V]),
    ("i,j->ji", [V, (2,)]),
    ("ij,jk", [M, (3, 4)]),
    ("ij,jk->ki", [M, (3, 4)]),
    ("ij,kj->ik", [M, (4, 3)]),
    ("ij,ij->ij", [M, M]),
    ("ij,ij->i", [M, M]),
    ("bij,bjk->bik", [B, (4, 3, 2)]),
    ("bij,bjk->kbi", [B, (4, 3, 2)]),
    ("bhid,bhjd->bhij", [(2, 2, 3, 2), (2, 2, 1, 2)]),
    ("...ij,jk->...ik", [B, (3, 2)]),
    ("...i,...i->...", [M, B]),
    ("ij,k->ik", [M, (2,)]),
    ("ii,ij->j", [S, S]),
    (",ij->ij", [(), M]),
    ("ij,jk,kl->il", [M, (3, 2), (2, 2)]),
    ("bi,ij,bj->b", [(4, 2), M, (4, 3)]),
]
CASES += [
    Case(
        f"einsum, {equation}",
        lambda *xs, equation=equation: torch.einsum(equation, *xs),
        shapes,
        lambda *xs, equation=equation: np.einsum(equation, *xs),
    )
    for equation, shapes in EINSUMS
]
CASES += [
    Case(
        "einsum, a size of 1",
        lambda a, b: torch.einsum("ij,jk->ik", a, b),
        [M, (1, 2)],
        lambda a, b: a.sum(1)[:, None] * b,
    ),
    Case("einsum, lists", lambda a, b: torch.einsum(a, [0, 1], b, [1, 2], [2, 0]), [M, (3, 4)], lambda a, b: (a @ b).T),
]
