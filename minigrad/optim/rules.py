"""The rules: how a parameter moves by its gradient, in SGD, Adam and their like.

Parameters move in blocks that stay in the cache.  Each rule works on NumPy arrays in the order of operations of
PyTorch's loop over tensors, so that float32 results differ by the rounding of fused multiply-adds at the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import BLOCK, row_blocks
from minigrad.core.dtypes import Array
from minigrad.core.modes import enable_grad
from minigrad.core.tape import quiet
from minigrad.core.tensor import storage_of
from minigrad.declare import with_options
from minigrad.ops.indexing import read_at, write_at
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor
from minigrad.tensors.creation import new_leaf

Rate = float | Tensor

# Options that are numbers, and not negative; and their names in errors, where these differ.
_NUMBERS = ("lr", "lr_decay", "rho", "alpha", "eps", "momentum", "weight_decay", "initial_accumulator_value")
_CALLED = {"lr": "learning rate", "eps": "epsilon value"}

# State that is kept only if an option is on.
_ONLY_WITH = {"max_exp_avg_sq": "amsgrad", "momentum_buffer": "momentum"}


def step_counter() -> Tensor:
    """The number of steps so far, 0, as PyTorch keeps it: a 0-d floating-point tensor."""
    return new_leaf(np.zeros((), np.float64 if dtypes.get_default_dtype() is dtypes.float64 else np.float32))


@with_options
class ByParameter(Optimizer):
    """An optimiser whose parameters move one after the other, each by its gradient and what is remembered of it.

    A subclass annotates its options.  `foreach` and `fused` choose between PyTorch's ways to compute the same step, of
    which there is one here.
    """

    params: Iterable[Any]
    _: KW_ONLY
    maximize: bool = False
    foreach: bool | None = None
    differentiable: bool = False

    #: The options that come first in a state dict; the others follow in the order of the arguments.
    _first: ClassVar[tuple[str, ...]] = ()
    #: Which kinds of gradients are supported: False for dense ones, True for sparse ones.
    _moves_by_sparse: ClassVar[tuple[bool, ...]] = (False,)
    #: The names of the tensors that are kept for each parameter.
    _remembers: ClassVar[tuple[str, ...]]
    #: Makes the counter of steps, at 0; None if steps are not counted.
    _counter: ClassVar[Any] = staticmethod(step_counter)
    #: The rule on arrays: `_rule(number of the step, options, parameter, direction, *state)` writes to all of these but
    #: the direction, which is the gradient after `maximize` and `weight_decay`.
    _rule: ClassVar[Callable[..., None]]

    def _begin(self, given: dict[str, Any]) -> None:
        """Check the options, all `given` arguments after `self` and `params`, and take them for the defaults."""
        options = {name: given[name] for name in (*self._first, *given) if name not in ("self", "params")}
        for name, value in _numbers_of(options).items():
            if name in _NUMBERS:
                most = 1.0 if name == "rho" else np.inf
                refuse(not 0.0 <= value <= most, _CALLED.get(name, f"{name} value"), options[name])
        for index, beta in enumerate(options.get("betas", ())):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        super().__init__(given["params"], options)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move each parameter that has a gradient; what `closure`, called before to compute the gradients, returned.

        Where one of them cannot move, none does: what stands in the way is found before the first one moves.
        """
        if "_opt_called" in self.__dict__:
            # A scheduler has been made, which warns unless this was called.
            self._opt_called = True
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        moving = []
        for group in self.param_groups:
            options = _numbers_of(group)
            if lacking := self.defaults.keys() - group.keys():
                raise KeyError(f"{', '.join(sorted(lacking))}: missing in a group, or in the state that was loaded")
            names = [name for name in self._remembers if name not in _ONLY_WITH or options[_ONLY_WITH[name]]]
            for parameter in group["params"]:
                if parameter._grad is not None:
                    self._check(parameter, names, options)
                    moving.append((parameter, names, options))
        run = quiet().run
        for each in moving:
            run(self._move, *each)
        return loss

    def _check(self, parameter: Tensor, names: list[str], options: Group) -> None:
        """Raise an error unless the parameter can move by its gradient, the state that is kept of it, and the options.

        It is a RuntimeError for the parameter, its gradient or its state, a KeyError for an option.
        """
        gradient: Any = parameter._grad
        array, sparse = parameter._array, gradient.is_sparse
        if not array.flags.writeable:
            parameter._check_writable()
        if sparse not in self._moves_by_sparse:
            kind, other = ("sparse", "SparseAdam") if sparse else ("dense", "Adam")
            problem = f"{type(self).__name__} does not support {kind} gradients"
            raise RuntimeError(f"{problem}, please consider {other} instead")
        if sparse and options.get("weight_decay"):
            problem = "weight_decay option is not compatible with sparse gradients"
            raise RuntimeError(f"{problem}: it moves all rows, and a sparse gradient only some; set weight_decay=0")
        state: Any = self.state.get(parameter)
        found = {"gradient": gradient, **{name: state.get(name) for name in names if state}}
        for name, each in found.items():
            if each is None:
                raise KeyError(f"{name}: not in the state of the parameter. For another option, make a new optimizer")
            if type(each) is Tensor and (each._array.shape, each._array.dtype) != (array.shape, array.dtype):
                kinds = " and ".join([f"{tuple(x.shape)}, {x.dtype}" for x in (parameter, each)])
                remedy = "convert a model before its optimizer is made"
                raise RuntimeError(f"the parameter and its {name} must match in shape and dtype, not {kinds}: {remedy}")

    def _move(self, parameter: Tensor, names: list[str], options: Group) -> None:
        """Move one parameter by its gradient, what is remembered by these names, and the options of its group."""
        known = self.state.get(parameter)
        state = known or {}
        if names and not known:
            first = {} if self._counter is None else {"step": self._counter()}
            value = self.defaults.get("initial_accumulator_value", 0)
            # In one statement, since an interrupt may come between two.
            state = self.state[parameter] = first | {name: filled_like(parameter, value) for name in names}
        # If steps are not counted, this only tells the first one (1) from the others (2).
        number = 2 if known else 1
        if "step" in state:
            number = counted(state)
        kept = [state[name] for name in names]
        for w, g, *arrays in parts(parameter, *kept):
            self._rule(number, options, w, descent(w, g, options), *arrays)
        count_writes(parameter, *kept)


def refuse(wrong: object, option: str, value: object) -> None:
    """A ValueError that names an option and its value, if that is `wrong`."""
    if wrong:
        raise ValueError(f"Invalid {option}: {value}")


def _numbers_of(group: Group) -> Group:
    """The options of a group, with Python numbers for those that are numbers or tensors of one element.

    Errors: TypeError for something else, ValueError for betas that are not two, NotImplementedError for options that
    are not there.
    """
    options = {**group}
    for name in ("capturable", "centered", "differentiable"):
        if options.get(name):
            raise NotImplementedError(f"{name}=True is not here: leave it out, or write the step by hand in no_grad()")
    for name in _NUMBERS:
        if name in options:
            options[name] = _number(name, options[name])
    if "betas" in options:
        options["betas"] = tuple([_number("betas", beta) for beta in options["betas"]])
        refuse(len(options["betas"]) != 2, "betas, which are two", options["betas"])
    return options


def _number(name: str, value: Any) -> Any:
    if name == "lr" and isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, but it has shape {tuple(value.shape)}")
    if isinstance(value, (Tensor, np.number)):
        return value.item()
    if not isinstance(value, (float, int)):
        called = _CALLED.get(name, name)
        raise TypeError(f"the {called} has to be a number or a tensor of one element, such as 1e-3, not {value!r}")
    return value


@with_options
class SGD(ByParameter):
    """Down the gradient: `w -= lr * d`, where `d` is the gradient, or what momentum makes of it.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

    without momentum
        `d = g`.
    with momentum
        `b = momentum * b + (1 - dampening) * g`, where `b = g` at first, and `d = b`.
    with `nesterov`
        `d = g + momentum * b`.

    A sparse gradient moves the rows that it has, with momentum those that any has had: see "Which rows move?" in
    the documents.  Source: Sutskever et al. (2013), On the importance of initialization and momentum in deep
    learning; with `lr` outside of the velocity, as PyTorch has it.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.25, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x * x).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([0., 0.], requires_grad=True)
    """

    _moves_by_sparse = (False, True)
    _remembers = ("momentum_buffer",)
    _counter = None

    lr: Rate = 1e-3
    momentum: float = 0
    dampening: float = 0
    weight_decay: Rate = 0
    nesterov: bool = False
    _: KW_ONLY
    fused: bool | None = None

    def _begin(self, given: dict[str, Any]) -> None:
        if given["nesterov"] and (given["momentum"] <= 0 or given["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super()._begin(given)

    def _rule(self, number: float, options: Group, w: Array, g: Array, b: Any = None) -> None:
        if b is not None:
            if number == 1:
                b[...] = g
            g = self._direction(number == 1, options, g, b)
        w -= options["lr"] * g

    def _direction(self, first: bool, options: Group, g: Any, b: Any) -> Any:
        """What momentum makes of `g`, where `b`, which takes it in, is `g` at `first`: of arrays, or of sparse tensors.

        A sparse one has the rows of the gradient, and those that any gradient has had so far.
        """
        momentum, dampening = options["momentum"], options["dampening"]
        if not first:
            b *= momentum
            b += g if dampening == 0 else (1 - dampening) * g
        return g + momentum * b if options["nesterov"] else b

    def _move(self, parameter: Tensor, names: list[str], options: Group) -> None:
        d: Any = parameter._grad
        if not d.is_sparse:
            super()._move(parameter, names, options)
            return
        d = -d if options["maximize"] else d
        if names:
            d, state = d.coalesce().detach(), self.state[parameter]
            first = not state
            if first:
                state["momentum_buffer"] = d.clone()
            d = self._direction(first, options, d, state["momentum_buffer"])
        d.add_into(parameter._array, -options["lr"])
        count_writes(parameter)


@with_options
class Adam(ByParameter):
    """Steps of about `lr` for each element: `w -= lr * m' / (sqrt(v') + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, and `t` the number of the step:

        m = beta1 * m + (1 - beta1) * g         m' = m / (1 - beta1 ** t)
        v = beta2 * v + (1 - beta2) * g * g     v' = v / (1 - beta2 ** t)

    With `amsgrad`, the largest `v` so far takes the place of `v` in `v'`; with `decoupled_weight_decay`, see AdamW.
    All elements move on, also those whose gradient is 0 now and was not before: see "Which rows move?" in the
    documents.  Sources: Kingma and Ba (2015); Reddi, Kale and Kumar (2018) for `amsgrad`.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.Adam([x], lr=0.5).step()
    >>> x
    tensor([ 0.5000, 99.5000], requires_grad=True)
    """

    _remembers = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")

    lr: Rate = 1e-3
    betas: tuple[Rate, Rate] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0
    amsgrad: bool = False
    _: KW_ONLY
    capturable: bool = False
    # Once more, since here it comes after another one, as a state dict shows.
    differentiable: bool = False
    fused: bool | None = None
    decoupled_weight_decay: bool = False

    def _begin(self, given: dict[str, Any]) -> None:
        super()._begin(given)
        if not any([all([isinstance(beta, kind) for beta in given["betas"]]) for kind in (float, Tensor)]):
            raise ValueError("betas must be either both floats or both Tensors")

    def _rule(self, number: float, options: Group, w: Array, g: Array, m: Array, v: Any, largest: Any = None) -> None:
        lr, (beta1, beta2) = options["lr"], options["betas"]
        if options["decoupled_weight_decay"]:
            w *= 1 - lr * options["weight_decay"]
        average(m, g, beta1)
        average_square(v, g, beta2)
        if largest is not None:
            v = np.maximum(largest, v, out=largest)
        root = np.sqrt(v)
        root /= (1 - beta2**number) ** 0.5
        root += options["eps"]
        d = lr / (1 - beta1**number) * m
        d /= root
        w -= d


@with_options
class AdamW(Adam):
    """Adam whose weight decay is a step of its own, `w -= lr * weight_decay * w`, which the averages do not see.

    Source: Loshchilov and Hutter (2019), Decoupled weight decay regularization.

    >>> import minigrad as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> x.grad = torch.zeros(1)
    >>> torch.optim.AdamW([x], lr=0.5, weight_decay=0.5).step()
    >>> x
    tensor([1.5000], requires_grad=True)
    """

    weight_decay: float = 1e-2
    amsgrad: bool = False
    decoupled_weight_decay: ClassVar[bool]  # type: ignore[misc]  # it is always True

    def _begin(self, given: dict[str, Any]) -> None:
        super()._begin({**given, "decoupled_weight_decay": True})

    def __setstate__(self, state: dict[str, Any]) -> None:
        for group in state["param_groups"]:
            group["decoupled_weight_decay"] = True
        super().__setstate__(state)


@with_options
class Adagrad(ByParameter):
    """Steps divided by the root of the sum of all squared gradients: `w -= lr' * g / (sqrt(v) + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, and `t` the number of the step:

        v = v + g * g                           lr' = lr / (1 + (t - 1) * lr_decay)

    where `v` starts as `initial_accumulator_value`.  An element whose gradient is 0 stays where it is; of a sparse
    gradient, only the rows that it has are read and written.  Source: Duchi, Hazan and Singer (2011), Adaptive
    subgradient methods for online learning and stochastic optimization.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.Adagrad([x], lr=0.5).step()
    >>> x
    tensor([ 0.5000, 99.5000], requires_grad=True)
    """

    _first = ("lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach")
    _moves_by_sparse = (False, True)
    _remembers = ("sum",)

    lr: Rate = 1e-2
    lr_decay: float = 0
    weight_decay: float = 0
    initial_accumulator_value: float = 0
    eps: float = 1e-10
    _: KW_ONLY
    fused: bool | None = None

    def _rule(self, number: float, options: Group, w: Array, g: Array, v: Array) -> None:
        v += g * g
        w -= options["lr"] / (1 + (number - 1) * options["lr_decay"]) * g / (np.sqrt(v) + options["eps"])


@with_options
class RMSprop(ByParameter):
    """Steps divided by the root of a running mean of squared gradients: `w -= lr * g / (sqrt(v) + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

        v = alpha * v + (1 - alpha) * g * g

    With momentum, `b = momentum * b + g / (sqrt(v) + eps)` and `w -= lr * b`.  Source: Tieleman and Hinton (2012),
    lecture 6.5 of Neural networks for machine learning.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.RMSprop([x], lr=0.5, alpha=0.75).step()
    >>> x
    tensor([ 0., 99.], requires_grad=True)
    """

    _first = ("lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach")
    _remembers = ("square_avg", "momentum_buffer")

    lr: Rate = 1e-2
    alpha: float = 0.99
    eps: float = 1e-8
    weight_decay: float = 0
    momentum: float = 0
    centered: bool = False
    _: KW_ONLY
    capturable: bool = False

    def _rule(self, number: float, options: Group, w: Array, g: Array, v: Array, b: Any = None) -> None:
        average_square(v, g, options["alpha"])
        root = np.sqrt(v)
        root += options["eps"]
        if b is None:
            w -= options["lr"] * g / root
        else:
            b *= options["momentum"]
            b += g / root
            w -= options["lr"] * b


@with_options
class Adadelta(ByParameter):
    """Steps as large as the steps before were, over as large as the gradients were: `w -= lr * d`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

        v = rho * v + (1 - rho) * g * g
        d = sqrt(u + eps) / sqrt(v + eps) * g
        u = rho * u + (1 - rho) * d * d

    Source: Zeiler (2012), ADADELTA: an adaptive learning rate method.
    """

    _first = ("lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach")
    _remembers = ("square_avg", "acc_delta")

    lr: Rate = 1.0
    rho: float = 0.9
    eps: float = 1e-6
    weight_decay: float = 0
    _: KW_ONLY
    capturable: bool = False

    def _rule(self, number: float, options: Group, w: Array, g: Array, v: Array, u: Array) -> None:
        rho, eps = options["rho"], options["eps"]
        average_square(v, g, rho)
        d = np.sqrt(u + eps) / np.sqrt(v + eps) * g
        average_square(u, d, rho)
        w -= options["lr"] * d


@with_options
class SparseAdam(ByParameter):
    """Adam of the rows that the sparse gradient has; all others, and what is remembered of them, stay as they are.

    With `g` such a row (its negative to `maximize`), `m`, `v` the same row of the averages, `t` the number of the step:

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        w -= lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + eps)

    The step number counts for all rows alike, also for those that move seldom.  Dense gradients are refused.

    >>> import minigrad as torch
    >>> table = torch.nn.Embedding.from_pretrained(torch.zeros(3, 2), freeze=False, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.5)
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> table.weight.detach()
    tensor([[ 0.0000,  0.0000],
            [-0.5000, -0.5000],
            [ 0.0000,  0.0000]])
    """

    _moves_by_sparse = (True,)
    _remembers = ("exp_avg", "exp_avg_sq")
    _counter = int

    lr: Rate = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    foreach: ClassVar[bool | None]  # type: ignore[misc]  # it has neither of the two
    differentiable: ClassVar[bool]  # type: ignore[misc]

    def _begin(self, given: dict[str, Any]) -> None:
        for name in ("lr", "eps"):
            refuse(given[name] == 0.0, _CALLED[name], given[name])
        super()._begin(given)

    def _rule(self, number: float, options: Group, w: Array, g: Array, m: Array, v: Array) -> None:
        beta1, beta2 = options["betas"]
        m += (1 - beta1) * (g - m)
        v += (1 - beta2) * (g * g - v)
        lr = options["lr"] * (1 - beta2**number) ** 0.5 / (1 - beta1**number)
        w -= lr * (m / (np.sqrt(v) + options["eps"]))


# ---- the state of a parameter ----------------------------------------------------------------------------------------


def counted(state: dict[str, Any]) -> Any:
    """The number of the step that begins: the counter in the state is increased by 1."""
    step = state["step"]
    if not isinstance(step, Tensor):
        state["step"] = step + 1
        return step + 1
    # With `step += 1`, a step of small parameters would take a tenth more time.
    step._array[()] += 1
    count_writes(step)
    return step._array.item()


def filled_like(parameter: Tensor, value: float = 0) -> Tensor:
    """A tensor of the shape, dtype and memory order of `parameter`, all of whose elements are `value`."""
    array = parameter._array
    if value or not array.flags.c_contiguous:
        return new_leaf(np.full_like(array, value))
    # np.zeros takes memory when it is first written to: rows that never move never take any.
    return new_leaf(np.zeros(array.shape, array.dtype))


def count_writes(*tensors: Tensor) -> None:
    """Count a write in place to each of the tensors."""
    for tensor in tensors:
        storage_of(tensor).version += 1


# ---- arrays ----------------------------------------------------------------------------------------------------------


def parts(parameter: Tensor, *kept: Tensor) -> Iterable[Sequence[Array]]:
    """Parts of the parameter, its gradient and its state, as arrays: what is written to them reaches the tensors."""
    gradient: Any = parameter._grad
    if gradient.is_sparse:
        return rows(gradient.coalesce(), parameter, *kept)
    arrays = [parameter._array, gradient._array, *[each._array for each in kept]]
    if arrays[0].itemsize == 2:
        return widened(arrays)
    return [arrays] if arrays[0].size <= BLOCK else blocks(arrays)


def rows(gradient: Any, *tensors: Tensor) -> Iterator[Sequence[Array]]:
    """The rows that a coalesced gradient has; the cost does not depend on the number of other rows."""
    ids, dims = gradient._ids(), tuple(range(gradient.sparse_dim()))
    found = [read_at(each._array, dims, ids) for each in tensors]
    yield [found[0], gradient._entries._array, *found[1:]]
    for tensor, new in zip(tensors, found, strict=True):
        write_at(tensor._array, dims, ids, new)


def widened(arrays: list[Array]) -> Iterator[Sequence[Array]]:
    """Halves as float32, in which they are computed."""
    wide = [array.astype(np.float32) for array in arrays]
    yield from blocks(wide)
    for position in (0, *range(2, len(arrays))):
        arrays[position][...] = wide[position]


def blocks(arrays: list[Array]) -> Sequence[Sequence[Array]]:
    """Blocks of arrays, which have one shape.

    A step is many operations on few numbers each: done block by block, all but the first find them in the cache, and
    no temporary is as large as a parameter.
    """
    if all([array.flags.c_contiguous for array in arrays]):
        arrays = [array.reshape(-1) for array in arrays]
    return row_blocks((), *arrays)


def descent(w: Array, g: Array, options: Group) -> Array:
    """`g`, or `-g` to `maximize`, plus `weight_decay * w`, unless the decay is decoupled."""
    decay, g = options.get("weight_decay"), -g if options["maximize"] else g
    if not decay or options.get("decoupled_weight_decay"):
        return g
    d = decay * w
    d += g
    return d


def average(mean: Array, new: Array, keep: float) -> None:
    """`mean += (1 - keep) * (new - mean)`, in the form that is exact at both ends."""
    weight = mean.dtype.type(1 - keep)
    if weight < 0.5:
        d = new - mean
        d *= weight
        mean += d
    else:
        np.subtract(new, (1 - weight) * (new - mean), mean)


def average_square(mean: Array, new: Array, keep: float) -> None:
    """`mean = keep * mean + (1 - keep) * new * new`."""
    mean *= keep
    square = (1 - keep) * new
    square *= new
    mean += square
