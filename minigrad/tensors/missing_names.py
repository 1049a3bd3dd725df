"""Names that PyTorch or NumPy has and minigrad has not: what does their work, told when one is asked for."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from minigrad.core.tensor import Tensor

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

#: By the place where they would be: each name, and what to use.
HINTS = {place: {n: hint for key, hint in table.items() for n in key.split()} for place, table in _TABLES.items()}
_LAYERS = {layer.lower().removesuffix("loss"): layer for layer in HINTS["minigrad.nn"]}

#: A name that one of these lacks may be in another.
_PLACES = [f"minigrad{each}" for each in (".nn.functional", ".nn", "", ".optim", ".optim.lr_scheduler", ".utils.data")]


def advice(place: str, name: str) -> str:
    """What to use in place of a name that `place` has not, as the end of an error message; "" for names unknown here.

    >>> advice("minigrad", "array")
    ": that is NumPy's name, here it is torch.tensor(data)"
    >>> advice("minigrad.Tensor", "fliplr")
    ': torch.fliplr is not here either; x.flip(1). dir(x) lists what is there'
    >>> from minigrad.nn import functional
    >>> advice("minigrad", "one_hot")
    ': it is torch.nn.functional.one_hot'
    """
    layer = _LAYERS.get(name.replace("_", "").removesuffix("loss"), "")
    if told := HINTS.get(place.replace("minigrad", "elsewhere"), {}).get(name):
        return f": {told}"
    if name in HINTS.get(place, {}):
        told = f"PyTorch has it, minigrad does not; {HINTS[place][name]}"
    elif place == "minigrad.Tensor" and name.removesuffix("_") in HINTS["minigrad"]:
        told = f"torch.{name.removesuffix('_')} is not here either; {HINTS['minigrad'][name.removesuffix('_')]}"
    elif place == "minigrad" and callable(getattr(Tensor, name, None)):
        return f": it is a method of tensors, x.{name}()"
    elif place == "minigrad.nn.functional" and layer:
        told = f"nn.{layer} is not here either; {HINTS['minigrad.nn'][layer]}"
    else:
        # Of those that are imported: to ask for a name imports nothing.
        places = [each for each in _PLACES if place in _PLACES and each in sys.modules]
        homes = [each for each in places if name in dir(sys.modules[each])]
        return f": it is {homes[0].replace('minigrad', 'torch')}.{name}" if homes else ""
    listed = "x" if place == "minigrad.Tensor" else place.replace("minigrad", "torch")
    return f": {told}. dir({listed}) lists what is there"
