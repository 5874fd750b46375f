"""The names of months and weekdays, and the words between them, in seven languages.

Names are compared without case and accents, since readings lose both. No name means different months in two languages.
"""

from __future__ import annotations

from functools import cache
from typing import Final
from unicodedata import category, normalize

# One row per month: English, German (and Austrian), French, Spanish, Italian, Portuguese, Dutch.
_MONTHS: Final = (
    "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar feber febr février févr fév febrero febbraio fevereiro fev februari",
    "march mar märz mär mrz mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aoû agosto ago augustus",
    "september sep sept septembre septiembre setiembre set settembre sett setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)

_WEEKDAYS: Final = """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
    lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim
    lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom
    lunedì martedì mercoledì giovedì venerdì sabato domenica gio sab
    segunda terça quarta quinta sexta feira seg ter qua qui sex
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma wo vr za zo
"""

# Articles, prepositions and the endings of ordinal numbers.
_FILLERS: Final = "the of on de del do le il el o den der am st nd rd th er ère e º ª"


@cache
def _month_names() -> dict[str, int]:
    return {_bare(name): number for number, names in enumerate(_MONTHS, 1) for name in names.split()}


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(_bare(name) for name in _WEEKDAYS.split())


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_bare(word) for word in _FILLERS.split())


def month_number(word: str) -> int | None:
    """1 to 12 for the name of a month or its short form, else None."""
    return _month_names().get(_bare(word))


def is_weekday(word: str) -> bool:
    """Whether the word names a day of the week."""
    return _bare(word) in _weekdays()


def is_filler(word: str) -> bool:
    """Whether the word can stand in a date and says nothing about which."""
    return _bare(word) in _fillers()


def _bare(word: str) -> str:
    return "".join(char for char in normalize("NFD", word.casefold()) if category(char) != "Mn")
