"""Invented names, codes, days and amounts, the same for the same seed."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Final

_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_FIRST_DAY: Final = date(2019, 1, 1)


class Inventor:
    """A source of values; nobody and nothing of it exists.

    Args:
        seed: any text; the same text gives the same values.
    """

    def __init__(self, seed: str) -> None:
        from faker import Faker

        self.random = Random(seed)
        self._faker = Faker("en_US")
        self._faker.seed_instance(seed)

    def person(self) -> str:
        """A full name."""
        return f"{self._faker.first_name()} {self._faker.last_name()}"

    def company(self) -> str:
        """A company's name."""
        return str(self._faker.company())

    def street(self) -> str:
        """House number and street."""
        return f"{self.random.randint(2, 998)} {self._faker.street_name()}"

    def city(self) -> str:
        """A town."""
        return str(self._faker.city())

    def state(self) -> str:
        """Two letters."""
        return str(self._faker.state_abbr(include_territories=False))

    def postcode(self) -> str:
        """Five digits."""
        return self.code("#####")

    def address(self) -> str:
        """Street and town, with a line break between."""
        return f"{self.street()}\n{self.city()}, {self.state()} {self.postcode()}"

    def job(self) -> str:
        """An occupation of a few words."""
        return str(self._faker.job()).split(",", maxsplit=1)[0]

    def phone(self) -> str:
        """A telephone number of those kept free for invention."""
        return self.code("(###) 555-01##")

    def email(self) -> str:
        """An address under a name that nobody can register."""
        return str(self._faker.ascii_safe_email())

    def code(self, pattern: str) -> str:
        """The pattern with a digit for each ``#`` and a letter for each ``?``; the first digit of a run is not 0."""
        made = ""
        for at, sign in enumerate(pattern):
            if sign == "#":
                leading = at == 0 or pattern[at - 1] != "#"
                made += self.random.choice("123456789" if leading else "0123456789")
            else:
                made += self.random.choice(_LETTERS) if sign == "?" else sign
        return made

    def day(self, first: date = _FIRST_DAY, days: int = 2500) -> str:
        """A day from ``first`` on, in ISO form."""
        return (first + timedelta(days=self.random.randrange(days))).isoformat()

    def money(self, low: float, high: float) -> Decimal:
        """An amount with cents."""
        return Decimal(self.random.randint(round(low * 100), round(high * 100))).scaleb(-2)

    def integer(self, low: int, high: int) -> int:
        """A whole number between both, both included."""
        return self.random.randint(low, high)

    def choice(self, *options: str) -> str:
        """One of the texts."""
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        """True in this share of calls."""
        return self.random.random() < share
