"""What parameters each effect takes, and between what they lie: beyond it a page would take for ever, or all memory.

The limits are wider than anything that a capture does to a page that can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from groundtruth.errors import RecipeError

Number: TypeAlias = int | float


class Limit(NamedTuple):
    """Of a parameter: the least and the most that it may be, and whether it is a whole number."""

    least: float
    most: float
    is_whole: bool = False


_LEVEL: Final = Limit(0, 255, is_whole=True)
_LEVELS: Final = Limit(0, 255)
_SIGMA: Final = Limit(0, 128)
_SHARE: Final = Limit(0, 1)
_CELLS: Final = Limit(1, 200, is_whole=True)
_LINES: Final = Limit(0, 100, is_whole=True)
_SPOTS: Final = Limit(0, 10_000, is_whole=True)
_SIDE: Final = Limit(0, 3, is_whole=True)
_COLOR: Final = {"red": _LEVEL, "green": _LEVEL, "blue": _LEVEL}

PARAMETERS: Final[Mapping[str, Mapping[str, Limit]]] = MappingProxyType(
    {
        "banding": {"depth": _LEVELS},
        "bilevel": {"threshold": _LEVEL, "sigma": _SIGMA},
        "bleed_shadow": {"depth": _LEVELS},
        "coarse_rows": {"lines_per_inch": Limit(20, 600, is_whole=True)},
        "color_noise": {"sigma": _SIGMA},
        "desk": {**_COLOR, "shadow": _LEVELS},
        "edge_shadow": {"side": _SIDE, "points": Limit(0, 144), "level": _LEVEL},
        "fax_lines": {"count": _LINES},
        "fibres": {"sigma": _SIGMA},
        "foxing": {"spots": _SPOTS, "depth": _LEVELS},
        "grain": {"sigma": _SIGMA},
        "halftone": {"weight": _SHARE},
        "hand_shadow": {"side": _SIDE, "opacity": _SHARE},
        "ink_fade": {"depth": _SHARE, "cells": _CELLS},
        "ink_spread": {"weight": _SHARE},
        "lamp": {"depth": _LEVELS},
        "letter_folds": {"depth": _LEVELS},
        "low_ink_lines": {"count": _LINES},
        "motion": {"points": Limit(0, 20), "upward": Limit(0, 1, is_whole=True)},
        "overexposed": {"levels": _LEVELS},
        "page_edge": {"depth": _LEVELS},
        "photo_contrast": {"black": _LEVEL, "white": _LEVEL},
        "punch_holes": {"level": _LEVEL},
        "rollers": {"points": Limit(0.1, 72)},
        "sharpen": {"amount": Limit(0, 10)},
        "soft_grain": {"sigma": _SIGMA},
        "soften": {"points": Limit(0, 5)},
        "specks": {"dark": _SPOTS, "light": _SPOTS, "points": Limit(0, 20)},
        "stains": {"depth": _LEVELS, "cells": _CELLS},
        "streaks": {"count": _LINES, "depth": _LEVELS},
        "tint": {**_COLOR, "ink": _LEVEL},
        "tone": {"paper": _LEVEL, "ink": _LEVEL},
        "toner_loss": {"share": _SHARE},
        "uneven_light": {"depth": _LEVELS, "cells": _CELLS},
        "vignette": {"depth": _LEVELS},
        "white_balance": {"warmth": Limit(-255, 255, is_whole=True), "white": _LEVEL},
    }
)
"""By effect, in the order in which it takes them."""


def require_parameters(effect: str, parameters: Mapping[str, tuple[Number, Number] | Number], *, source: str) -> None:
    """Refuse parameters, or ranges of them, that an effect that is known does not take.

    Raises:
        RecipeError: begins with ``source`` and names the effect and the parameter.
    """
    limits = PARAMETERS[effect]
    if parameters.keys() != limits.keys():
        raise RecipeError(
            f"{source}: effect {effect!r}: takes the parameters {', '.join(limits)}, not "
            f"{', '.join(parameters) or 'none'}; mend the file"
        )
    for name, among in parameters.items():
        limit, ends = limits[name], among if isinstance(among, tuple) else (among,)
        if not all(limit.least <= end <= limit.most for end in ends):
            raise RecipeError(
                f"{source}: effect {effect!r}: {name} lies between {limit.least} and {limit.most}, not at "
                f"{' to '.join(map(str, ends))}; mend the file"
            )
        if limit.is_whole and not all(isinstance(end, int) for end in ends):
            raise RecipeError(
                f"{source}: effect {effect!r}: {name} is a whole number, not {' to '.join(map(str, ends))}; mend the "
                "file"
            )
