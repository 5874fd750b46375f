"""Laws of the equality: total, transitive, and kept by what is stored."""

from __future__ import annotations

import itertools
from decimal import Decimal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.jsontext import Json, Malformed
from groundtruth.rules import Comparator, DateOrder, FieldRule, ListOrder
from groundtruth.schema import Leaf
from groundtruth.value import Canonicalizer, Flag, Invalid, Key, Null, Value, canonical, fold, sort_key

TYPE_SETS = [
    frozenset(types) for types in ({"string"}, {"number"}, {"integer"}, {"boolean"}, {"string", "integer"}, ())
]
SCALARS = [kind for kind in Comparator if kind not in {Comparator.LIST, Comparator.OPAQUE}]

RULES = st.builds(
    FieldRule,
    date_order=st.sampled_from([None, *DateOrder]),
    century_pivot=st.sampled_from([None, 2050]),
    locale=st.sampled_from(["en-US", "de-DE", "fr-FR", "de-CH", "fr-CH", "en-IN", "pl-PL"]),
    null_tokens=st.sampled_from([(), ("N/A", "-")]),
    list=st.sampled_from(ListOrder),
)
SCALAR_LEAVES = st.builds(
    Leaf,
    st.just(("field",)),
    st.sampled_from(SCALARS),
    st.sampled_from(TYPE_SETS),
    RULES,
    enum=st.sampled_from([("Single", "Married", "single"), ("A", 1, Decimal("2.5"), True), (1, 2)]),
)
LIST_LEAVES = st.builds(
    Leaf, st.just(("field",)), st.just(Comparator.LIST), st.just(frozenset({"array"})), RULES, item=SCALAR_LEAVES
)
OPAQUE_LEAVES = st.builds(Leaf, st.just(("field",)), st.just(Comparator.OPAQUE), st.just(frozenset({"object"})), RULES)
LEAVES = st.sampled_from([*[SCALAR_LEAVES] * 6, *[LIST_LEAVES] * 3, OPAQUE_LEAVES]).flatmap(lambda leaves: leaves)

NUMBER_TEXTS = ["1", "1.0", "1,234.50", "1.234,50", "1 234,5", "(5)", "$5", "5 kr", "100,-", "1e3", "007", "12%"]
DATE_TEXTS = ["2025-03-04", "March 4, 2025", "03/04/2025", "4/5/25", "Mar 25", "2025", "2025-03-04T00:00", "20250304"]
WORDS = ["yes", "x", "☐", "SINGLE", "single", "Married", "a", "A", "true", "ACME  Corp", "acme corp", "e\u0301", "“é”"]
ODD_TEXTS = ["null", "N/A", "-", "a\u200cb", "ﬁn", "\ud800", "[1, 2]", '["a"]', " "]
ODDITIES: list[Json] = [None, [], {}, Decimal("1e400"), Decimal("NaN"), Malformed("NaN", "not_a_finite_number")]
NUMBERS: list[Json] = [0, 1, 2, 5, 2025, Decimal("1.0"), Decimal("2.50"), Decimal("1234.5"), Decimal("1e3"), -0.5]
READABLE: list[Json] = [*NUMBER_TEXTS, *DATE_TEXTS, *WORDS, *NUMBERS, True, False, True, False]
ATOMS = st.integers(0, 9).flatmap(
    lambda roll: (
        st.sampled_from(READABLE) if roll < 7 else st.sampled_from([*ODD_TEXTS, *ODDITIES]) | st.text(max_size=6)
    )
)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def cases(draw: st.DrawFn, leaves: st.SearchStrategy[Leaf] = LEAVES, count: int = 1) -> tuple[Leaf, list[Json]]:
    """A leaf, mostly of one scalar, and readings of it, mostly of the kind that it holds."""
    leaf = draw(leaves)
    plain = st.lists(ATOMS, max_size=3) if leaf.comparator is Comparator.LIST else ATOMS
    return leaf, [draw(plain if draw(st.integers(0, 9)) < 8 else JSON) for _ in range(count)]


@given(cases())
def test_any_json_is_answered_and_hashable_where_it_counts(case: tuple[Leaf, list[Json]]) -> None:
    leaf, (raw,) = case
    found = canonical(leaf, raw)
    match found:
        case Value(key, _, flags):
            assert hash(key) == hash(canonical(leaf, raw)[0])
            assert flags <= set(Flag)
        case Null(flags):
            assert flags <= {Flag.COERCED}
        case Invalid(kept, reason):
            assert kept is raw
            assert reason


@given(cases())
def test_what_is_stored_means_the_same_and_needs_no_coercion(case: tuple[Leaf, list[Json]]) -> None:
    leaf, (raw,) = case
    found = canonical(leaf, raw)
    if isinstance(found, Value):
        again = canonical(leaf, found.surface)
        assert isinstance(again, Value)
        assert again.key == found.key
        assert again.surface == found.surface
        assert type(again.surface) is type(found.surface)
        assert Flag.COERCED not in again.flags


@given(cases())
def test_what_is_stored_can_be_written_and_read_back(case: tuple[Leaf, list[Json]]) -> None:
    leaf, (raw,) = case
    found = canonical(leaf, raw)
    if isinstance(found, Value):
        written = jsontext.loads(jsontext.dumps(found.surface).encode())
        again = canonical(leaf, written)
        assert isinstance(again, Value)
        assert again.key == found.key


@pytest.mark.parametrize("types", TYPE_SETS, ids=lambda types: "+".join(sorted(types)) or "any")
@pytest.mark.parametrize("comparator", SCALARS)
def test_what_is_stored_has_a_type_of_the_schema(comparator: Comparator, types: frozenset[str]) -> None:
    names = {str: "string", bool: "boolean", int: "integer", Decimal: "number"}
    for locale in ("en-US", "de-DE", "fr-CH"):
        leaf = Leaf(("field",), comparator, types, FieldRule(locale=locale, century_pivot=2050), enum=("A", 1, True))
        for raw in [*READABLE, *ODD_TEXTS, *ODDITIES]:
            found = canonical(leaf, raw)
            if not isinstance(found, Value):
                continue
            assert canonical(leaf, found.surface) == found._replace(flags=found.flags - {Flag.COERCED})
            if types and comparator is not Comparator.ENUM:
                name = names[type(found.surface)]
                assert name in types or (name == "integer" and "number" in types)


@given(cases(count=4))
def test_equality_does_not_depend_on_who_is_asked_first(case: tuple[Leaf, list[Json]]) -> None:
    leaf, raws = case
    read = Canonicalizer(leaf)
    forward = [read(raw) for raw in raws]
    backward = [read(raw) for raw in reversed(raws)]
    assert forward == backward[::-1] == [canonical(leaf, raw) for raw in raws]


@given(cases(count=6))
def test_equality_hash_and_order_of_keys_agree(case: tuple[Leaf, list[Json]]) -> None:
    leaf, raws = case
    keys = [found.key for raw in raws if isinstance(found := canonical(leaf, raw), Value)]
    groups: list[Key] = []
    for key in keys:
        if not any(key == known for known in groups):
            groups.append(key)
    assert len(set(keys)) == len(groups)
    for one, other in itertools.combinations(groups, 2):
        assert (sort_key(one) < sort_key(other)) is not (sort_key(other) < sort_key(one))


@given(st.text())
def test_normal_forms_and_spacing_make_no_difference(text: str) -> None:
    leaf = Leaf(("field",), Comparator.TEXT, frozenset({"string"}))
    one, other = canonical(leaf, text), canonical(leaf, "\u00a0" + normalize("NFD", text).replace(" ", "\n ") + "\t")
    assert isinstance(one, Invalid) or one == other


@given(
    st.lists(st.sampled_from(WORDS), max_size=5).flatmap(
        lambda items: st.tuples(st.just(items), st.permutations(items))
    )
)
def test_the_order_of_a_set_or_multiset_makes_no_difference(orders: tuple[list[str], list[str]]) -> None:
    item = Leaf(("field", 0), Comparator.TEXT, frozenset({"string"}))
    for order in (ListOrder.SET, ListOrder.MULTISET):
        leaf = Leaf(("field",), Comparator.LIST, frozenset({"array"}), FieldRule(list=order), item=item)
        one, other = (canonical(leaf, items) for items in orders)
        assert type(one) is type(other)
        assert not isinstance(one, Value) or not isinstance(other, Value) or one.key == other.key


@given(cases(count=2))
def test_equal_readings_have_equal_folds(case: tuple[Leaf, list[Json]]) -> None:
    leaf, raws = case
    first, second = (canonical(leaf, raw) for raw in raws)
    if isinstance(first, Value) and isinstance(second, Value) and first.key == second.key:
        assert fold(first) == fold(second)


@given(cases(SCALAR_LEAVES, count=2))
def test_only_text_differs_in_surface_only(case: tuple[Leaf, list[Json]]) -> None:
    leaf, raws = case
    first, second = (canonical(leaf, raw) for raw in raws)
    if isinstance(first, Value) and isinstance(second, Value) and first.key != second.key:
        texts = {"text", "case_insensitive", "typographic", "identifier", "ambiguous_date"}
        assert fold(first) != fold(second) or {first.key[0], second.key[0]} & texts
