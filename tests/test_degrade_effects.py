"""Every effect at the ends of its limits, and what its recipes may say of it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from degrade import effects
from degrade.effect import Pixels, Sheet, brightness
from degrade.effects import VERSIONS, apply_effect, check_drawn
from degrade.effects_paper import punch_holes
from degrade.parameters import PARAMETERS
from degrade.printed import Printed
from degrade.recipe import DrawnEffect
from groundtruth.errors import RecipeError

A4 = (842, 595)
"""Height and width in pixels, at one pixel a point."""
LEVEL = 77


def sheet(pixels: Pixels, dpi: float = 72.0) -> Sheet:
    height, width = pixels.shape[:2]
    outline = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    return Sheet(dpi, 5, Printed(brightness(pixels).copy(), dpi, outline), outline)


@pytest.mark.parametrize("name", VERSIONS)
def test_an_effect_takes_what_is_listed(name: str) -> None:
    takes = list(inspect.signature(effects._EFFECTS[name].function).parameters.values())[2:]
    listed = {key: "int" if limit.is_whole else "float" for key, limit in PARAMETERS[name].items()}
    assert {each.name: each.annotation for each in takes} == listed


@pytest.mark.parametrize("shape", [(40, 9), (3, 40, 3)], ids=["grey", "in colour"])
@pytest.mark.parametrize("name", sorted(VERSIONS.keys() - {"rollers", "low_ink_lines", "hand_shadow"}))
def test_the_ends_of_its_limits_are_made_on_a_small_page(name: str, shape: tuple[int, ...]) -> None:
    pixels = np.full(shape, 255, np.uint8)
    pixels[1:3, 2:5] = 20
    for end in ("least", "most"):
        parameters = {
            key: int(getattr(limit, end)) if limit.is_whole else float(getattr(limit, end))
            for key, limit in PARAMETERS[name].items()
        }
        drawn = DrawnEffect(effect=name, version=VERSIONS[name], seed=5, parameters=parameters)
        check_drawn(drawn, source="record")
        found = apply_effect(pixels.copy(), drawn, sheet(pixels))
        assert found.shape == pixels.shape
        assert found.dtype == np.uint8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"effect": "sepia"}, "there is none here", id="unknown"),
        pytest.param({"version": 9}, "version 9 is recorded, and there is version 1", id="another version"),
        pytest.param({"parameters": {"paper": 240, "ink": 999}}, "ink lies between 0 and 255", id="beyond its limits"),
    ],
)
def test_what_is_recorded_and_not_made_here_is_refused(change: dict[str, object], said: str) -> None:
    drawn = DrawnEffect(effect="tone", version=VERSIONS["tone"], seed=1, parameters={"paper": 240, "ink": 30})
    check_drawn(drawn, source="record")
    with pytest.raises(RecipeError, match=f"^record: .*{said}"):
        check_drawn(drawn.model_copy(update=change), source="record")


def holes(pixels: Pixels) -> list[tuple[int, int]]:
    """The middles of the holes, x and y, from the top."""
    found = punch_holes(pixels.copy(), sheet(pixels), level=LEVEL)
    rows = np.flatnonzero((found == LEVEL).any(axis=1))
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(rows) else []
    return [
        (round(np.flatnonzero((found[part] == LEVEL).any(axis=0)).mean()), round(float(part.mean()))) for part in parts
    ]


def with_print(x0: int, y0: int, x1: int, y1: int, shape: tuple[int, int] = A4) -> Pixels:
    pixels = np.full(shape, 255, np.uint8)
    # In lines, since a page that is mostly black is dark paper.
    pixels[y0:y1:3, x0:x1] = 0
    return pixels


@pytest.mark.parametrize(
    ("pixels", "centers"),
    [
        pytest.param(with_print(0, 0, 0, 0), [(34, 308), (34, 534)], id="an empty page"),
        pytest.param(with_print(43, 0, 595, 842), [(29, 308), (29, 534)], id="print close by: nearer to the edge"),
        pytest.param(with_print(20, 290, 100, 320), [(34, 332), (34, 558)], id="print in the way: slipped"),
        pytest.param(with_print(0, 0, 300, 842), [(561, 308), (561, 534)], id="no left margin: the back of a sheet"),
        pytest.param(with_print(0, 0, 595, 300), [(34, 312), (34, 538)], id="a filled upper half"),
        pytest.param(with_print(0, 0, 595, 842), [], id="print everywhere"),
        pytest.param(with_print(0, 300, 595, 560), [], id="room for one alone"),
        pytest.param(with_print(0, 0, 0, 0, (240, 170)), [], id="a page too small for two"),
    ],
)
def test_holes_come_in_twos_and_keep_off_print(pixels: Pixels, centers: list[tuple[int, int]]) -> None:
    found = holes(pixels)
    assert len(found) == len(centers)
    for is_, wanted in zip(found, centers, strict=True):
        assert is_ == pytest.approx(wanted, abs=4)
    punched = punch_holes(pixels.copy(), sheet(pixels), level=LEVEL)
    assert (punched[pixels == 0] == 0).all()
