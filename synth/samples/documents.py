"""All samples of a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from synth.samples.form import make_form
from synth.samples.invoice import make_invoice
from synth.samples.register import make_register
from synth.samples.sample import Sample

_MAKERS: Final[Mapping[str, Callable[[int, int], Sample]]] = {
    "form": make_form,
    "invoice": make_invoice,
    "register": make_register,
}
KINDS: Final = tuple(_MAKERS)
"""The kinds of samples there are."""


def samples(seed: int, *, kinds: Sequence[str] = KINDS, count: int = 4) -> list[Sample]:
    """``count`` documents of each kind; the first ones are the same whatever ``count`` is.

    Four of a kind show all layouts of that kind. Equal arguments give equal bytes.

    Raises:
        ValueError: a kind that there is not.
    """
    unknown = sorted(set(kinds) - _MAKERS.keys())
    if unknown:
        raise ValueError(f"no samples of kind {unknown[0]!r}; there are {', '.join(_MAKERS)}")
    return [_MAKERS[kind](seed, index) for kind in kinds for index in range(count)]
