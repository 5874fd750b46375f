"""All effects by name, with their versions; the one place that calls augraphy, operation by operation.

Of augraphy only operations are used that move no pixel and that give the same bytes again once every source of chance
is seeded: those of ``random``, of NumPy and of OpenCV, and that of Numba, which keeps its own. They are called one at a
time and never through augraphy's pipeline, which keeps pages in a folder and lets one page show through another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from degrade import effects_camera, effects_ink, effects_paper, effects_scanner
from degrade.effect import Effect, Pixels, Sheet, shaded
from degrade.parameters import require_parameters
from degrade.recipe import DrawnEffect
from groundtruth.errors import RecipeError


class _Known(NamedTuple):
    version: int
    function: Effect


def rollers(pixels: Pixels, sheet: Sheet, *, points: float) -> Pixels:
    """Bands that dirty rollers of a copier leave, about ``points`` wide."""
    import augraphy  # type: ignore[import-untyped]

    width = sheet.pixels(points)
    return _augraphy(augraphy.DirtyRollers, pixels, sheet, line_width_range=(width, width + 4), scanline_type=0)


def low_ink_lines(pixels: Pixels, sheet: Sheet, *, count: int) -> Pixels:
    """Faint lines across the page where a cartridge gave no ink."""
    import augraphy

    return _augraphy(
        augraphy.LowInkRandomLines,
        pixels,
        sheet,
        count_range=(count, count),
        use_consistent_lines=True,
        noise_probability=0.05,
    )


def hand_shadow(pixels: Pixels, sheet: Sheet, *, side: int, opacity: float) -> Pixels:
    """The shadow of whoever holds the phone, from the left 0, top 1, right 2 or bottom 3."""
    import augraphy

    height, width = pixels.shape[:2]
    # A shadow has no detail: it is cast on a small blank page, an eighth as wide, at a hundredth of the time.
    blank = np.full((max(64, height // 8), max(64, width // 8)), 255, np.uint8)
    cast = _augraphy(
        augraphy.ShadowCast,
        blank,
        sheet,
        shadow_side=("left", "top", "right", "bottom")[side],
        shadow_vertices_range=(2, 3),
        shadow_width_range=(0.35, 0.55),
        shadow_height_range=(0.35, 0.55),
        shadow_color=(0, 0, 0),
        shadow_opacity_range=(opacity, opacity),
        shadow_iterations_range=(1, 1),
        shadow_blur_kernel_range=(31, 41),
    )
    return shaded(pixels, np.asarray(cv2.resize(cast, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8))


_LATER_VERSIONS: Final[Mapping[str, int]] = {
    "edge_shadow": 2,
    "fax_lines": 2,
    "foxing": 2,
    "grain": 2,
    "hand_shadow": 2,
    "ink_fade": 2,
    "lamp": 2,
    "page_edge": 2,
    "punch_holes": 3,
    "specks": 2,
    "stains": 2,
    "uneven_light": 2,
    "vignette": 2,
}
"""Of effects whose pixels are not those of their first version any more."""


def _all() -> dict[str, _Known]:
    ours: list[Effect] = [
        effects_ink.ink_spread,
        effects_ink.ink_fade,
        effects_ink.toner_loss,
        effects_ink.photo_contrast,
        effects_ink.bleed_shadow,
        effects_paper.tone,
        effects_paper.tint,
        effects_paper.fibres,
        effects_paper.stains,
        effects_paper.foxing,
        effects_paper.letter_folds,
        effects_paper.punch_holes,
        effects_scanner.soften,
        effects_scanner.sharpen,
        effects_scanner.grain,
        effects_scanner.soft_grain,
        effects_scanner.page_edge,
        effects_scanner.edge_shadow,
        effects_scanner.streaks,
        effects_scanner.banding,
        effects_scanner.specks,
        effects_scanner.fax_lines,
        effects_scanner.bilevel,
        effects_scanner.halftone,
        effects_scanner.coarse_rows,
        effects_scanner.lamp,
        effects_scanner.overexposed,
        effects_camera.desk,
        effects_camera.uneven_light,
        effects_camera.vignette,
        effects_camera.white_balance,
        effects_camera.color_noise,
        effects_camera.motion,
        rollers,
        low_ink_lines,
        hand_shadow,
    ]
    return {effect.__name__: _Known(_LATER_VERSIONS.get(effect.__name__, 1), effect) for effect in ours}


KEEP_OFF_PRINT: Final = frozenset({"specks", "fax_lines", "edge_shadow", "foxing", "punch_holes"})
"""Effects that ask where something is printed."""
_EFFECTS: Final[Mapping[str, _Known]] = MappingProxyType(_all())
VERSIONS: Final[Mapping[str, int]] = MappingProxyType({name: known.version for name, known in _EFFECTS.items()})
"""By effect; raised when an effect may look different for the same parameters."""


def check_drawn(drawn: DrawnEffect, *, source: str) -> None:
    """Refuse what was drawn of an effect if it is not made here.

    Raises:
        RecipeError: begins with ``source``; there is no such effect in this version, or it takes other parameters.
    """
    known = _EFFECTS.get(drawn.effect)
    if known is None or known.version != drawn.version:
        there = "none" if known is None else f"version {known.version}"
        raise RecipeError(
            f"{source}: effect {drawn.effect!r}: version {drawn.version} is recorded, and there is {there} here; use "
            "the release of Goldleaf that wrote it, or make it anew"
        )
    require_parameters(drawn.effect, drawn.parameters, source=source)


def apply_effect(pixels: Pixels, drawn: DrawnEffect, sheet: Sheet) -> Pixels:
    """What an effect, which ``check_drawn`` lets pass, makes of the pixels."""
    return _EFFECTS[drawn.effect].function(pixels, sheet, **drawn.parameters)


def _augraphy(operation: Callable[..., Any], pixels: Pixels, sheet: Sheet, **parameters: object) -> Pixels:
    _seed(sheet.seed, compiled=operation.__name__ in _COMPILED)
    # Some draw when they are made, some when they are called: both come after the seed.
    found = np.asarray(operation(p=1, **parameters)(np.ascontiguousarray(pixels)), dtype=np.uint8)
    if found.shape != pixels.shape:
        raise RecipeError(
            f"augraphy's {operation.__name__} changed the page's shape from {pixels.shape} to {found.shape}"
        )
    return found


def _seed(seed: int, *, compiled: bool) -> None:
    random.seed(seed)
    np.random.seed(seed)
    cv2.setRNGSeed(seed & 0x7FFFFFFF)
    if compiled:
        _numba_seed()(seed)


_COMPILED = frozenset({"DirtyRollers"})
"""Operations that draw in code compiled by Numba."""
_SEED_OF_NUMBA: list[Callable[[int], None]] = []


def _numba_seed() -> Callable[[int], None]:
    """Numba's own generator is seeded from inside compiled code only; compiled once a process."""
    if not _SEED_OF_NUMBA:
        import numba

        def seed_both(seed: int) -> None:
            random.seed(seed)
            np.random.seed(seed)

        _SEED_OF_NUMBA.append(numba.njit(seed_both))  # type: ignore[arg-type]
    return _SEED_OF_NUMBA[0]
