"""Recipes: how a kind of re-capture looks, in three strengths, and what was drawn of it for one page.

A recipe is a readable JSON file that says in ranges what may happen to a page; ``degrade/recipes/`` holds those that
are shipped. What is drawn from it for a page depends on the seed, the document's bytes, the page, the attempt and the
name of the parameter, and on nothing else: not on other pages, on an order, on what else the recipe holds, or on the
strength, so that the same page leans the same way in all three, only more.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from degrade.geometry import RIGHT_ANGLES, Placement
from degrade.parameters import Number, require_parameters
from degrade.reading import parse
from groundtruth import jsontext
from groundtruth.errors import RecipeError

FORMAT: Final = "goldleaf-recipe/1"
_SHIPPED: Final = Path(__file__).parent / "recipes"
_DECIMALS: Final = 6
_CORNERS: Final = 8
_MOST_DPI: Final = 600
_MOST_EFFECTS: Final = 32
"""Before a page is moved, and as many after it; the shipped recipes have seven at most."""


class Strength(StrEnum):
    """How much of it happens."""

    MILD = "mild"
    MEDIUM = "medium"
    STRONG = "strong"

    @property
    def weaker(self) -> Strength | None:
        """The next lower one, or None below mild."""
        order = list(Strength)
        at = order.index(self)
        return order[at - 1] if at else None


class Codec(StrEnum):
    """How the picture of a page is kept in the PDF."""

    JPEG = "jpeg"
    FAX = "ccitt-g4"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _in_order(among: tuple[Number, Number]) -> tuple[Number, Number]:
    if among[0] > among[1]:
        raise ValueError(f"a range goes from the lower number to the higher, not {list(among)}")
    return among


Range = Annotated[tuple[Number, Number], Field(strict=False), AfterValidator(_in_order)]
"""From and to, both possible; two whole numbers draw a whole one."""
Parameter = Range | Number


class EffectRange(_Model):
    """An effect with the ranges of its parameters; a number stands for itself. The effects are in ``effects.py``."""

    effect: str
    parameters: dict[str, Parameter] = {}


class GeometryRange(_Model):
    """The ranges of a ``geometry.Placement``.

    Attributes:
        turns: the quarter turns of which one is drawn, in degrees.
        degrees: the tilt.
        scale: the page's size in the picture.
        shift: of the page's middle, each way, in shares of width and height.
        corners: how far a corner is moved inward, in shares of width and height.
        surround: the grey level of what is around the page, 0 is black.
    """

    turns: Annotated[tuple[int, ...], Field(strict=False)] = (0,)
    degrees: Range = (0.0, 0.0)
    scale: Range = (1.0, 1.0)
    shift: Range = (0.0, 0.0)
    corners: Range = (0.0, 0.0)
    surround: Range = (255, 255)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.turns or not set(self.turns) <= set(RIGHT_ANGLES):
            raise ValueError(f"turns are some of {RIGHT_ANGLES}, not {self.turns}")
        for name, (least, most) in _GEOMETRY_LIMITS.items():
            _require_within(name, getattr(self, name), least, most)
        return self


# Wider than any capture of a page that can be read, and narrow enough that the page stays one: beyond them it would
# be flattened, turned inside out or off the picture.
_GEOMETRY_LIMITS: Final = {
    "degrees": (-45, 45),
    "scale": (0.1, 2),
    "shift": (-0.5, 0.5),
    "corners": (0, 0.4),
    "surround": (0, 255),
}


def _require_within(name: str, among: tuple[Number, Number], least: float, most: float) -> None:
    if among[0] < least or among[1] > most:
        raise ValueError(f"{name} lies between {least} and {most}, not {list(among)}")


class Look(_Model):
    """One strength of a recipe.

    Attributes:
        dpi: of the scanner or the camera.
        color: ``gray`` or ``rgb``.
        geometry: how the page may lie.
        before: what may be wrong with ink and paper, in order; it lies in the frame of the clean page.
        after: what scanner, line or camera may add, in order; it lies in the frame of the re-capture.
        codec: how the picture is kept.
        quality: of JPEG, 1 to 100.
    """

    dpi: int = Field(ge=72, le=_MOST_DPI)
    color: Literal["gray", "rgb"] = "gray"
    geometry: GeometryRange = GeometryRange()
    before: Annotated[tuple[EffectRange, ...], Field(strict=False, max_length=_MOST_EFFECTS)] = ()
    after: Annotated[tuple[EffectRange, ...], Field(strict=False, max_length=_MOST_EFFECTS)] = ()
    codec: Annotated[Codec, Field(strict=False)] = Codec.JPEG
    quality: Range = (75, 85)

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require_within("quality", self.quality, 1, 100)
        return self


class Recipe(_Model):
    """A kind of re-capture.

    Attributes:
        format: of the file.
        name: what it is called, such as ``office-scan``.
        version: raised whenever what the recipe draws may look different.
        title: what it looks like, for a person.
        perception: the benchmark's code of the condition: ``P1`` rotated or image-only, ``P2`` scanned.
        effects: the version of each effect that it was written for.
        strengths: all three of them.
    """

    format: Literal["goldleaf-recipe/1"]
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    version: int = Field(ge=1)
    title: str
    perception: Literal["P1", "P2"]
    effects: dict[str, int]
    strengths: dict[Annotated[Strength, Field(strict=False)], Look]

    @model_validator(mode="after")
    def _check(self) -> Self:
        missing = [strength for strength in Strength if strength not in self.strengths]
        if missing:
            raise ValueError(f"strengths: {missing[0]} is missing")
        used = {one.effect for look in self.strengths.values() for one in (*look.before, *look.after)}
        if used != self.effects.keys():
            raise ValueError(f"effects: needs exactly the versions of {', '.join(sorted(used)) or 'none'}")
        return self

    @property
    def sha256(self) -> str:
        """Of the recipe's content, whatever the layout of its file."""
        return hashlib.sha256(jsontext.dumps(self.model_dump(mode="json")).encode()).hexdigest()


class DrawnEffect(_Model):
    """An effect as it happens to a page.

    Attributes:
        effect: its name.
        version: of the effect.
        seed: of its own grain, specks and the like.
        parameters: as drawn.
    """

    effect: str
    version: int
    seed: int = Field(ge=0, lt=2**32)
    parameters: dict[str, Number] = {}


class DrawnPage(_Model):
    """What happens to a page: all that is needed, beside the page, to make its re-capture again.

    Attributes:
        attempt: which drawing this is, from 1.
        strength: the one that was drawn from; lower than asked when the page could not be read otherwise.
        dpi: the recipe's, or less on a page too large for it.
        turn, degrees, scale, shift, corners: the ``geometry.Placement``.
        surround: the grey level around the page.
    """

    attempt: int = Field(ge=1)
    strength: Annotated[Strength, Field(strict=False)]
    dpi: int = Field(ge=1, le=_MOST_DPI)
    color: Literal["gray", "rgb"]
    turn: int
    degrees: float
    scale: float
    shift: Annotated[tuple[float, float], Field(strict=False)]
    corners: Annotated[tuple[float, ...], Field(strict=False, min_length=_CORNERS, max_length=_CORNERS)]
    surround: int
    before: Annotated[tuple[DrawnEffect, ...], Field(strict=False)]
    after: Annotated[tuple[DrawnEffect, ...], Field(strict=False)]
    codec: Annotated[Codec, Field(strict=False)]
    quality: int = Field(ge=1, le=100)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.turn not in RIGHT_ANGLES:
            raise ValueError(f"turn is one of {RIGHT_ANGLES}, not {self.turn}")
        for name, numbers in (
            ("degrees", (self.degrees,)),
            ("scale", (self.scale,)),
            ("shift", self.shift),
            ("corners", self.corners),
            ("surround", (self.surround,)),
        ):
            _require_within(name, (min(numbers), max(numbers)), *_GEOMETRY_LIMITS[name])
        return self

    @property
    def placement(self) -> Placement:
        """How the page lies."""
        return Placement(self.turn, self.degrees, self.scale, self.shift, self.corners)


class Dice:
    """Numbers that follow from what they are for, and from nothing that was drawn before.

    Args:
        seed: the user's.
        document: SHA-256 of the clean document.
        page: from 1.
        attempt: from 1.
    """

    def __init__(self, seed: int, document: str, page: int, attempt: int) -> None:
        self._about = f"{seed}|{document}|{page}|{attempt}"

    def bits(self, name: str) -> int:
        """64 of them."""
        return int.from_bytes(hashlib.sha256(f"{self._about}|{name}".encode()).digest()[:8])

    def number(self, name: str, among: Parameter) -> Number:
        """A number of the range, whole if its ends are, with as many digits as the record keeps."""
        if not isinstance(among, tuple):
            return among
        low, high = among
        if isinstance(low, int) and isinstance(high, int):
            return low + self.bits(name) % (high - low + 1)
        return round(low + (high - low) * (self.bits(name) / 2.0**64), _DECIMALS)

    def either_way(self, name: str, among: Range) -> float:
        """A number of the range, to one side or the other."""
        size = float(self.number(name, among))
        return -size if self.bits(f"{name}|side") % 2 else size


def draw_page(
    recipe: Recipe,
    strength: Strength,
    *,
    seed: int,
    document: str,
    page: int,
    attempt: int = 1,
    most_dpi: float = 600.0,
) -> DrawnPage:
    """Draw what happens to a page.

    Args:
        recipe: the recipe.
        strength: which of its looks.
        seed: the user's.
        document: SHA-256 of the clean document's bytes.
        page: from 1.
        attempt: from 1; another attempt draws everything anew.
        most_dpi: the finest resolution at which the page may be rendered.
    """
    look, dice = recipe.strengths[strength], Dice(seed, document, page, attempt)
    geometry = look.geometry
    return DrawnPage(
        attempt=attempt,
        strength=strength,
        dpi=min(look.dpi, int(most_dpi)),
        color=look.color,
        turn=geometry.turns[dice.bits("turn") % len(geometry.turns)],
        degrees=dice.either_way("degrees", geometry.degrees),
        scale=float(dice.number("scale", geometry.scale)),
        shift=(dice.either_way("shift.x", geometry.shift), dice.either_way("shift.y", geometry.shift)),
        corners=tuple(float(dice.number(f"corner.{at}", geometry.corners)) for at in range(_CORNERS)),
        surround=int(dice.number("surround", geometry.surround)),
        before=_drawn(look.before, recipe, dice, "before"),
        after=_drawn(look.after, recipe, dice, "after"),
        codec=look.codec,
        quality=int(dice.number("quality", look.quality)),
    )


def _drawn(effects: Iterable[EffectRange], recipe: Recipe, dice: Dice, stage: str) -> tuple[DrawnEffect, ...]:
    found: list[DrawnEffect] = []
    seen: dict[str, int] = {}
    for one in effects:
        # By name and not by place, so that an effect that only a stronger look has changes nothing of the others.
        count = seen[one.effect] = seen.get(one.effect, 0) + 1
        name = f"{stage}.{one.effect}.{count}"
        parameters = {key: dice.number(f"{name}.{key}", among) for key, among in sorted(one.parameters.items())}
        found.append(
            DrawnEffect(
                effect=one.effect,
                version=recipe.effects[one.effect],
                seed=dice.bits(name) >> 32,
                parameters=parameters,
            )
        )
    return tuple(found)


def recipe_names() -> tuple[str, ...]:
    """The shipped recipes, sorted."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.json")))


def load_recipe(name: str, effects: Mapping[str, int]) -> Recipe:
    """A recipe by its name, or by the path of its file (ends in ``.json``).

    Args:
        name: which.
        effects: the versions of the effects that there are.

    Raises:
        RecipeError: there is no such recipe, it is malformed, or it is not made here; the message says what differs.
    """
    path = Path(name) if name.endswith(".json") else _SHIPPED / f"{name}.json"
    if not re.fullmatch(r"[a-z0-9-]+", name) and not name.endswith(".json"):
        raise RecipeError(_unknown(name))
    try:
        text = path.read_bytes()
    except OSError as error:
        if name.endswith(".json"):
            raise RecipeError(f"{name}: cannot be read: {error.strerror}; check the path") from error
        raise RecipeError(_unknown(name)) from error
    source = str(path) if name.endswith(".json") else name
    recipe = parse_recipe(text, source=source)
    check_effects(recipe, effects, source=source)
    return recipe


def parse_recipe(text: bytes, *, source: str) -> Recipe:
    """Read the text of a recipe; ``source`` begins every message.

    Raises:
        RecipeError: it is no recipe, or of another format.
    """
    cure = "the recipes in degrade/recipes show what one holds, and docs/recapture.md tells of it"
    return parse(Recipe, text, source=source, written=FORMAT, cure=cure)


def check_effects(recipe: Recipe, effects: Mapping[str, int], *, source: str) -> None:
    """Refuse a recipe whose effects are not those that there are, or take other parameters.

    Raises:
        RecipeError: begins with ``source`` and says what differs.
    """
    for name, version in sorted(recipe.effects.items()):
        if name not in effects:
            raise RecipeError(f"{source}: there is no effect {name!r}; there are {', '.join(sorted(effects))}")
        if effects[name] != version:
            raise RecipeError(
                f"{source}: recipe {recipe.name} version {recipe.version}: is written for version {version} of the "
                f"effect {name!r}, and this release makes version {effects[name]}; its pages would look different. Use "
                "the release that the recipe was written for, or write that version into the recipe and make the pages "
                "anew"
            )
    for strength, look in recipe.strengths.items():
        for stage, among in (("before", look.before), ("after", look.after)):
            for one in among:
                require_parameters(one.effect, one.parameters, source=f"{source}: strengths.{strength}.{stage}")


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, recipe_names(), 1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    return f"no recipe {name!r}{meant} There are {', '.join(recipe_names())}, or give the path of a recipe's .json file"
