"""Small pictures of the kinds of documents, for people who choose one."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from builders import REPOSITORY
from synth.pattern import pattern_names
from synth.pictures import contact_picture


@pytest.mark.e2e
@pytest.mark.parametrize("name", pattern_names())
def test_a_picture_shows_two_pages_and_is_small(name: str) -> None:
    picture = contact_picture(name)
    image = Image.open(io.BytesIO(picture)).convert("L")
    halves = [image.crop((0, 0, image.width // 2, image.height)), image.crop((image.width // 2, 0, *image.size))]
    assert len(picture) < 150_000
    for half in halves:
        shades = half.tobytes()
        # Print of six points is never black at this size.
        assert min(shades) < 100
        assert max(shades) == 255


def test_the_shipped_pictures_are_small() -> None:
    files = list((REPOSITORY / "docs" / "pictures").glob("synth-*.png"))
    assert files
    assert all(file.stat().st_size < 150_000 for file in files)
