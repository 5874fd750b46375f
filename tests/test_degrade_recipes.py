from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from degrade.effects import VERSIONS
from degrade.recipe import Recipe, Strength, draw_page, load_recipe, parse_recipe, recipe_names
from groundtruth.errors import RecipeError

SHA = "a" * 64
NAMES = recipe_names()


def recipe(name: str = "office-scan") -> Recipe:
    return load_recipe(name, VERSIONS)


def test_the_recipes_people_ask_for_are_shipped() -> None:
    assert {"office-scan", "photocopy", "fax", "phone-photo"} < set(NAMES)
    assert len(NAMES) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_a_page_depends_on_seed_document_page_and_attempt_alone(name: str) -> None:
    drawn = draw_page(recipe(name), Strength.MEDIUM, seed=1, document=SHA, page=3)
    for page in (1, 2, 7):
        draw_page(recipe(name), Strength.MEDIUM, seed=1, document=SHA, page=page)
    assert draw_page(recipe(name), Strength.MEDIUM, seed=1, document=SHA, page=3) == drawn


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"document": "b" * 64}, {"page": 4}, {"attempt": 2}],
    ids=["seed", "document", "page", "attempt"],
)
def test_each_of_them_draws_anew(change: dict[str, object]) -> None:
    what = {"seed": 1, "document": SHA, "page": 3, "attempt": 1}
    first = draw_page(recipe(), Strength.MEDIUM, **what)  # type: ignore[arg-type]
    other = draw_page(recipe(), Strength.MEDIUM, **{**what, **change})  # type: ignore[arg-type]
    assert first.degrees != other.degrees
    assert first.after[0].seed != other.after[0].seed


def test_a_page_leans_the_same_way_in_every_strength() -> None:
    drawn = [draw_page(recipe(), strength, seed=1, document=SHA, page=3) for strength in Strength]
    assert len({page.degrees > 0 for page in drawn}) == 1
    sizes = [abs(page.degrees) for page in drawn]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


def test_an_effect_more_changes_nothing_of_the_others() -> None:
    form = json.loads(recipe().model_dump_json())
    form["strengths"]["medium"]["after"].insert(0, {"effect": "banding", "parameters": {"depth": 3}})
    form["effects"]["banding"] = VERSIONS["banding"]
    more = parse_recipe(json.dumps(form).encode(), source="more")
    before = draw_page(recipe(), Strength.MEDIUM, seed=1, document=SHA, page=1)
    after = draw_page(more, Strength.MEDIUM, seed=1, document=SHA, page=1)
    assert after.after[1:] == before.after
    assert after.degrees == before.degrees


def test_whole_ranges_draw_whole_numbers() -> None:
    drawn = draw_page(recipe(), Strength.STRONG, seed=1, document=SHA, page=1)
    specks = next(one for one in drawn.after if one.effect == "specks")
    assert type(specks.parameters["dark"]) is int
    assert type(specks.parameters["points"]) is float


def test_an_unknown_recipe_is_told_which_there_are() -> None:
    for name in ("polaroid", "../office-scan"):
        with pytest.raises(RecipeError, match="office-scan, phone-photo"):
            load_recipe(name, VERSIONS)


def test_a_recipe_that_is_nearly_one_is_asked_for() -> None:
    with pytest.raises(RecipeError, match="did you mean 'office-scan'"):
        load_recipe("ofice-scan", VERSIONS)


def test_a_recipe_of_another_version_is_refused_with_what_differs() -> None:
    with pytest.raises(RecipeError, match="version 2 of the effect 'grain', and this release makes version 3"):
        load_recipe("office-scan", {**VERSIONS, "grain": 3})
    with pytest.raises(RecipeError, match="no effect 'grain'"):
        load_recipe("office-scan", {name: number for name, number in VERSIONS.items() if name != "grain"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"format": "goldleaf-recipe/9"}, "goldleaf-recipe/9", id="another format"),
        pytest.param({"strengths": {}}, "mild is missing", id="a strength missing"),
        pytest.param({"effects": {}}, "needs exactly the versions of", id="versions missing"),
        pytest.param({"mood": "blue"}, "mood", id="an unknown key"),
        pytest.param({"perception": "P7"}, "perception", id="an unknown tag"),
    ],
)
def test_a_malformed_recipe_is_refused_with_its_place(tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**json.loads(recipe().model_dump_json()), **change}))
    with pytest.raises(RecipeError, match=said) as caught:
        load_recipe(str(path), VERSIONS)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("part", "name", "among", "said"),
    [
        pytest.param("geometry", "degrees", [2, 1], "from the lower number to the higher", id="a range turned round"),
        pytest.param("geometry", "scale", [0, 1], "scale lies between", id="a page without size"),
        pytest.param("geometry", "corners", [0.1, 0.6], "corners lies between", id="corners past one another"),
        pytest.param("geometry", "surround", [-5, 255], "surround lies between", id="blacker than black"),
        pytest.param("geometry", "shift", [0, 5], "shift lies between", id="a page off the picture"),
        pytest.param(None, "quality", [0, 90], "quality lies between", id="a quality that JPEG has not"),
    ],
)
def test_a_range_that_no_page_has_is_refused(part: str | None, name: str, among: list[float], said: str) -> None:
    form = json.loads(recipe().model_dump_json())
    look = form["strengths"]["mild"]
    (look if part is None else look[part])[name] = among
    with pytest.raises(RecipeError, match=said):
        parse_recipe(json.dumps(form).encode(), source="own")


def test_a_recipe_of_ones_own_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(recipe().model_dump_json())
    assert load_recipe(str(path), VERSIONS) == recipe()
    path.write_text(recipe().model_dump_json(), encoding="utf-8-sig")
    assert load_recipe(str(path), VERSIONS) == recipe()
    with pytest.raises(RecipeError, match="check the path"):
        load_recipe(str(tmp_path / "none.json"), VERSIONS)


def own_recipe(path: Path, effect: str, parameters: dict[str, Any], times: int = 1) -> str:
    """The file of a recipe with one effect, in its strong look alone."""
    form = json.loads(recipe("image-only").model_dump_json())
    form["strengths"]["strong"]["after"] = [{"effect": effect, "parameters": parameters}] * times
    form["effects"] = {effect: VERSIONS[effect]}
    path.write_text(json.dumps(form))
    return str(path)


@pytest.mark.parametrize(
    ("effect", "parameters", "said"),
    [
        pytest.param("tone", {}, "'tone': takes the parameters paper, ink, not none", id="none"),
        pytest.param("tone", {"paper": 240, "ink": 30, "zap": 1}, "not paper, ink, zap", id="one too many"),
        pytest.param("tone", {"paper": 240, "ink": 300}, "ink lies between 0 and 255, not at 300", id="no level"),
        pytest.param("tone", {"paper": 240, "ink": 30.5}, "ink is a whole number, not 30.5", id="a part of a level"),
        pytest.param(
            "specks", {"dark": [1, 10**9], "light": 0, "points": 1}, "dark lies between 0 and 10000", id="for ever"
        ),
        pytest.param("soften", {"points": 1e6}, "points lies between 0 and 5", id="all memory"),
        pytest.param("streaks", {"count": [-3, 2], "depth": 9}, "count lies between 0 and 100", id="less than none"),
    ],
)
def test_parameters_that_an_effect_does_not_take_are_refused_with_their_file(
    tmp_path: Path, effect: str, parameters: dict[str, Any], said: str
) -> None:
    path = own_recipe(tmp_path / "own.json", effect, parameters)
    with pytest.raises(RecipeError, match=said) as caught:
        load_recipe(path, VERSIONS)
    assert str(caught.value).startswith(f"{path}: strengths.strong.after: ")


def test_more_effects_than_any_capture_has_are_refused(tmp_path: Path) -> None:
    path = own_recipe(tmp_path / "own.json", "grain", {"sigma": 2}, times=33)
    with pytest.raises(RecipeError, match=r"strengths\.strong\.after: .*at most 32"):
        load_recipe(path, VERSIONS)
