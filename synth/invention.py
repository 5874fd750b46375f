"""Invented people, firms, places and numbers for long lists: the same for the same seed, and fast.

The names are Faker's, with their real frequencies, drawn by our own generator: a hundred times as fast as Faker's
calls, and the order of draws is ours. What Faker has no realistic form of (firms, towns, postcodes that fit their
state) is put together here. In another locale than ``en_US`` people, streets and towns come from Faker itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from typing import Any, Final, NamedTuple

from groundtruth.errors import SynthesisError
from synth.samples.invent import Inventor

ENGLISH: Final = "en_US"


def _words(text: str, between: str = " ") -> tuple[str, ...]:
    return tuple(text.split(between))


_STATES: Final = _words(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH "
    "OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY"
)
_POPULATION: Final = tuple(
    map(
        int,
        _words(
            "50 7 73 30 390 58 36 10 220 108 14 19 126 68 32 29 45 46 14 62 70 100 57 29 62 11 20 32 14 93 21 197 "
            "107 8 118 40 42 130 11 52 9 70 300 33 6 86 78 18 59 6"
        ),
    )
)
"""Of the states, in their order."""

_TOWN_FIRST: Final = _words(
    "Ash Bay Bel Birch Brad Bridge Brook Burl Cedar Chester Clay Clear Cov Crest Dan Elm Fair Farm Glen Green "
    "Hamp Harris Hart High Holl Hunt Kings Lake Lan Leb Lex Lin Maple Mar Med Mil Mon Mount New Nor Oak Park "
    "Pine Port River Rock Salem Shel Spring Stan Sunny Union Wal Warren Water Wells West White Wil Win Wood "
    "York"
)
_TOWN_LAST: Final = _words("ton ville field ford burg dale wood land port view ham mont ridge side brook hurst worth")
_TOWN_BEFORE: Final = ("", "", "", "", "", "North ", "South ", "East ", "West ", "Fort ", "St. ", "Mount ", "El ")
_STREET_KINDS: Final = _words("St Ave Rd Dr Ln Blvd Ct Way Pl Ter Pkwy Hwy")
_STREET_SHARES: Final = (30, 20, 14, 12, 7, 5, 5, 3, 2, 1, 1, 1)
_TREES: Final = _words(
    "Main Church Oak Maple Park Elm Washington Lincoln Walnut Second Third Fourth Fifth Cedar Pine Hill Lake "
    "Mill Spring River Chestnut Franklin Jefferson Jackson Highland Prospect Sunset Meadow Willow Ridge Cherry "
    "Union College Railroad Broad Center Court Market Front Water Locust Spruce Dogwood Magnolia Forest Valley"
)
_TRADES: Final = _words(
    "Roofing, Plumbing, Electric, Dental Group, Family Practice, Auto Body, Trucking, Landscaping, Realty, "
    "Insurance Agency, Hardware, Printing, Machine Works, Logistics, Foods, Construction, Engineering, "
    "Pharmacy, Tool & Die, Catering, Farms, Property Management, Consulting, Staffing, Medical Supply, Freight, "
    "Security Services, Flooring, Paving, Software",
    ", ",
)
_ENDINGS: Final = _words(
    "LLC, Inc, Inc., Co, Corp, L.P., & Sons, & Co., PLLC, Ltd, Partners, Trust",
    ", ",
)


class Place(NamedTuple):
    """A postal address: house and street, town, state of two letters, postcode."""

    street: str
    city: str
    state: str
    postcode: str


class _Weighted(NamedTuple):
    names: Sequence[str]
    up_to: Sequence[float]


class Invention(Inventor):
    """A source of values; nobody and nothing of it exists.

    Args:
        seed: any whole number; the same gives the same values.
        locale: of people and places, as Faker names it.

    Raises:
        SynthesisError: Faker has no such locale.
    """

    def __init__(self, seed: int, locale: str = ENGLISH) -> None:
        from faker import Faker

        super().__init__(f"goldleaf:{seed}")
        self.locale = locale
        try:
            self._local = Faker(locale)
        except AttributeError as error:
            raise SynthesisError(f"--locale {locale}: Faker has no such locale; for example de_DE or ja_JP") from error
        self._local.seed_instance(seed)

    @property
    def faker(self) -> Any:
        """Faker itself, seeded; call nothing of it that counts from today (``date_of_birth``, ``past_date``)."""
        return self._local

    def pick(self, options: Sequence[Any], shares: Sequence[float] | None = None) -> Any:
        """One of the options, each as often as its share says."""
        return self.random.choices(options, shares)[0] if shares else self.random.choice(options)

    def first_name(self) -> str:
        """A given name."""
        if self.locale != ENGLISH:
            return str(self._local.first_name())
        return self._drawn(self._first_names)

    def last_name(self) -> str:
        """A family name."""
        if self.locale != ENGLISH:
            return str(self._local.last_name())
        name = self._drawn(self._last_names)
        # Faker's list has neither apostrophes nor hyphens, which real lists are full of.
        chance = self.random.random()
        if chance < 0.012:
            return f"O'{name}"
        return f"{name}-{self._drawn(self._last_names)}" if chance < 0.03 else name

    def person(self) -> str:
        """A full name, often with a middle initial."""
        if self.locale != ENGLISH:
            return str(self._local.name())
        middle = f" {self.random.choice('ABCDEFGHJKLMNPRSTW')}" if self.random.random() < 0.45 else ""
        return f"{self.first_name()}{middle} {self.last_name()}"

    def company(self) -> str:
        """A firm, in one of the shapes that firms' names have."""
        if self.locale != ENGLISH:
            return str(self._local.company())
        shape, trade = self.random.randrange(6), self.random.choice(_TRADES)
        ending = self.random.choice(_ENDINGS)
        if shape < 2:
            return f"{self.last_name()} {trade} {ending}"
        if shape == 2:
            return f"{self.last_name()} & {self.last_name()} {ending}"
        if shape == 3:
            return f"{self.town()} {trade}"
        if shape == 4:
            return f"{self.random.choice(_TREES)} Street {trade} {ending}"
        return f"{self.code('?')}.{self.code('?')}. {self.last_name()} {ending}"

    def town(self) -> str:
        """A town."""
        if self.locale != ENGLISH:
            return str(self._local.city())
        pick = self.random.choice
        first = pick(_TOWN_FIRST)
        last = next(end for end in iter(lambda: pick(_TOWN_LAST), None) if not first.lower().endswith(end))
        return f"{pick(_TOWN_BEFORE)}{first}{last}"

    city = town

    def street(self) -> str:
        """House number and street, sometimes with a flat."""
        if self.locale != ENGLISH:
            return " ".join(str(self._local.street_address()).split())
        random = self.random
        if random.random() < 0.07:
            return f"PO Box {random.randint(10, 9999)}"
        name = random.choice(_TREES) if random.random() < 0.6 else self._drawn(self._last_names)
        kind = random.choices(_STREET_KINDS, _STREET_SHARES)[0]
        point = random.choice(("N ", "S ", "E ", "W ")) if random.random() < 0.15 else ""
        flat = random.random()
        rest = f" Apt {random.randint(1, 40)}{random.choice('ABCD')}" if flat < 0.1 else ""
        rest = f" Ste {random.randint(1, 9)}00" if 0.1 <= flat < 0.14 else rest
        return f"{random.randint(2, 9899)} {point}{name} {kind}{rest}"

    def state(self) -> str:
        """Two letters, as often as its share of the people."""
        return str(self.random.choices(_STATES, _POPULATION)[0])

    def postcode_in(self, state: str) -> str:
        """Five digits that the state has."""
        low, high = self._postcodes[state]
        return f"{self.random.randint(low, high):05}"

    def place(self, state: str | None = None) -> Place:
        """An address, in a state or anywhere; in another locale the state is the region's code, or the country's."""
        if self.locale != ENGLISH:
            region = self.locale.partition("_")[2] or self.locale
            return Place(self.street(), self.town(), state or region, str(self._local.postcode()))
        state = state or self.state()
        return Place(self.street(), self.town(), state, self.postcode_in(state))

    def skewed(self, low: float, high: float, power: int = 8) -> Decimal:
        """An amount with cents, most of them small: balances, refunds, invoices. The higher the power, the smaller."""
        share = self.random.random() ** power
        return Decimal(round((low + (high - low) * share) * 100)).scaleb(-2)

    def distinct(self, make: Callable[[], str]) -> Callable[[], str]:
        """Make values until one comes that was not there before."""
        seen: set[str] = set()

        def new() -> str:
            value = make()
            while value in seen:
                value = make()
            seen.add(value)
            return value

        return new

    def _drawn(self, names: _Weighted) -> str:
        return self.random.choices(names.names, cum_weights=names.up_to)[0]

    @cached_property
    def _first_names(self) -> _Weighted:
        from faker.providers.person.en_US import Provider

        return _weighted({**Provider.first_names_male, **Provider.first_names_female})

    @cached_property
    def _last_names(self) -> _Weighted:
        from faker.providers.person.en_US import Provider

        return _weighted(Provider.last_names)

    @cached_property
    def _postcodes(self) -> Mapping[str, tuple[int, int]]:
        from faker.providers.address.en_US import Provider

        return Provider.states_postcode


def _weighted(shares: Mapping[str, float]) -> _Weighted:
    return _Weighted(tuple(shares), tuple(accumulate(shares.values())))
