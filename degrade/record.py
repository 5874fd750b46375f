"""What is recorded of a re-capture: all that is needed, beside the clean document, to make it again and to prove it."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from degrade.geometry import Homography
from degrade.legibility import Score
from degrade.reading import parse
from degrade.recipe import DrawnPage, Recipe, Strength
from groundtruth.jsontext import Json

FORMAT: Final = "goldleaf-recapture/1"
_LIBRARIES: Final = ("augraphy", "goldleaf", "numba", "numpy", "opencv-python", "pillow", "pymupdf")
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Hashes(_Model):
    """SHA-256 of a page on its way, so that a difference names its cause.

    Attributes:
        raster: the pixels of the clean page, as the reader of the document renders them.
        pixels: after warp and effects.
        picture: the bytes in the PDF.
    """

    raster: _Sha256
    pixels: _Sha256
    picture: _Sha256


class Attempt(_Model):
    """A drawing that was not used, and how many values nobody could have read on it."""

    attempt: int
    strength: Annotated[Strength, Field(strict=False)]
    illegible: int


def _nine_floats(numbers: tuple[str, ...]) -> tuple[str, ...]:
    Homography.from_hex(numbers)
    return numbers


class PageRecord(_Model):
    """One page.

    Attributes:
        page: from 1.
        points: its size as displayed.
        size: of its picture in pixels.
        homography: from the frame of the clean page, nine floats to the last bit.
        drawn: what happens to it.
        hashes: what came out.
        values: how many values were judged.
        worst: the worst that was found of each measure, over all values; None when none was judged.
        illegible: paths of the values that no attempt left legible.
        clipped: paths of the values that the edge of the page cuts.
        lost: paths of those that are off the page.
        unused: the attempts before.
    """

    page: int = Field(ge=1)
    points: Annotated[tuple[float, float], Field(strict=False)]
    size: Annotated[tuple[int, int], Field(strict=False)]
    homography: Annotated[tuple[str, ...], Field(strict=False), AfterValidator(_nine_floats)]
    drawn: DrawnPage
    hashes: Hashes
    values: int = 0
    worst: Score | None = None
    illegible: Annotated[tuple[str, ...], Field(strict=False)] = ()
    clipped: Annotated[tuple[str, ...], Field(strict=False)] = ()
    lost: Annotated[tuple[str, ...], Field(strict=False)] = ()
    unused: Annotated[tuple[Attempt, ...], Field(strict=False)] = ()


class Record(_Model):
    """One re-captured document.

    Attributes:
        format: of the file.
        document: the id of the re-capture.
        original: the id of the clean document.
        source: the folder of the clean document's dataset, relative to that of the re-capture.
        clean_sha256: of the clean document's bytes.
        recipe: whole, so that it can be made again when the shipped one has changed.
        strength: as asked for; a page may have a lower one.
        seed: the user's.
        versions: of what made it.
        sha256: of the PDF.
        pages: in order.
    """

    format: Literal["goldleaf-recapture/1"] = "goldleaf-recapture/1"
    document: str
    original: str
    source: str
    clean_sha256: _Sha256
    recipe: Recipe
    strength: Annotated[Strength, Field(strict=False)]
    seed: int
    versions: dict[str, str]
    sha256: _Sha256
    pages: Annotated[tuple[PageRecord, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if [page.page for page in self.pages] != list(range(1, len(self.pages) + 1)) or not self.pages:
            raise ValueError("pages: are not those from 1 to the last, each once and in order")
        return self

    @property
    def for_a_person(self) -> tuple[str, ...]:
        """Paths of the values that no drawing left legible and whole; a person has to look at them."""
        return tuple(sorted({path for page in self.pages for path in (*page.illegible, *page.clipped, *page.lost)}))

    def to_json(self) -> dict[str, Json]:
        """The record as its file holds it."""
        return self.model_dump(mode="json")


def parse_record(text: bytes, *, source: str) -> Record:
    """Read what ``to_json`` wrote; ``source`` begins every message.

    Raises:
        RecipeError: it is no record, or of another format.
    """
    return parse(Record, text, source=source, written=FORMAT, cure="make the re-capture anew")


def current_versions() -> dict[str, str]:
    """Of Python, of Goldleaf and of every library that has a hand in the bytes."""
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}


def version_differences(recorded: dict[str, str]) -> list[str]:
    """What is another version now, for a person: ``numpy 2.2.6, was 2.1.0``."""
    now = current_versions()
    return [
        f"{name} {now.get(name, 'is absent')}, was {recorded.get(name, 'absent')}"
        for name in sorted(now.keys() | recorded.keys())
        if now.get(name) != recorded.get(name)
    ]
