"""How numbers are grouped and where the decimals begin, by locale: the world's common conventions as one small table.

A locale names a convention and nothing else: months and currency signs do not depend on it.
"""

from __future__ import annotations

import difflib
from functools import cache
from typing import Final, NamedTuple

from groundtruth.errors import RulesError


class Convention(NamedTuple):
    """How a number is written.

    Attributes:
        decimal: the marks that may stand before the decimals, the usual one first.
        group: the marks that may group digits, one kind per number, the usual one first. A space is any space.
        lakh: whether 12,34,567 is a grouping beside 1,234,567.
    """

    decimal: str
    group: str
    lakh: bool = False


_COMMA_GROUPS: Final = Convention(".", ",")
_LAKH_GROUPS: Final = Convention(".", ",", lakh=True)
_DOT_GROUPS: Final = Convention(",", ".")
_SPACE_GROUPS: Final = Convention(",", " ")
_DOT_OR_SPACE_GROUPS: Final = Convention(",", ". ")
_APOSTROPHE_GROUPS: Final = Convention(".", "'")
# Neither mark ever groups in French Switzerland, so both can begin decimals: amounts are written with a dot.
_SWISS_FRENCH: Final = Convention(",.", " '")

_LOCALES: Final = {
    _COMMA_GROUPS: """
        en-US en-GB en-AU en-CA en-GH en-HK en-IE en-JM en-KE en-MT en-NG en-NZ en-PH en-SG en-TZ en-UG
        ar-AE ar-EG ar-JO ar-KW ar-QA ar-SA cy-GB es-DO es-GT es-HN es-MX es-NI es-PA es-PE es-PR es-SV es-US fa-IR
        fil-PH he-IL ja-JP ko-KR ms-MY sw-KE sw-TZ th-TH zh-CN zh-HK zh-SG zh-TW
    """,
    _LAKH_GROUPS: "en-IN en-PK bn-BD bn-IN gu-IN hi-IN kn-IN ml-IN mr-IN ne-NP pa-IN ta-IN te-IN ur-PK",
    _DOT_GROUPS: """
        de-DE de-LU az-AZ bs-BA ca-ES da-DK el-CY el-GR es-AR es-BO es-CL es-CO es-EC es-PY es-UY es-VE eu-ES fo-FO
        gl-ES hr-HR id-ID is-IS it-IT lb-LU mk-MK nl-BE nl-NL pt-BR ro-MD ro-RO sl-SI sr-RS tr-TR vi-VN
    """,
    _SPACE_GROUPS: """
        fr-FR fr-BE fr-CA fr-LU be-BY bg-BG cs-CZ et-EE fi-FI hu-HU hy-AM ka-GE kk-KZ lt-LT lv-LV nb-NO nn-NO no-NO
        ru-RU sk-SK sq-AL sv-FI sv-SE uk-UA
    """,
    _DOT_OR_SPACE_GROUPS: "de-AT es-CR es-ES pl-PL pt-AO pt-PT",
    _APOSTROPHE_GROUPS: "de-CH de-LI en-CH it-CH rm-CH",
    _SWISS_FRENCH: "fr-CH",
}
_BY_NAME: Final = {name.lower(): rules for rules, names in _LOCALES.items() for name in names.split()}
LOCALES: Final = tuple(sorted(name for names in _LOCALES.values() for name in names.split()))
"""Every locale there is, sorted."""


def check_locale(locale: str) -> None:
    """Check that a locale is in the table; case and ``_`` for ``-`` do not matter.

    Raises:
        RulesError: it is not; the message lists those that come near.
    """
    if _name(locale) in _BY_NAME:
        return
    near = difflib.get_close_matches(locale.replace("_", "-"), LOCALES, n=4, cutoff=0.5)
    same = [name for name in LOCALES if name.lower().startswith(_name(locale)[:2] + "-")]
    hint = ", ".join(dict.fromkeys([*same[:6], *near])) or "en-US, de-DE, fr-FR, de-CH, en-IN"
    raise RulesError(
        f"unknown locale {locale!r}: name a language and a region whose way of writing numbers is meant, such as {hint}"
    )


@cache
def convention(locale: str) -> Convention:
    """The convention of a locale.

    Raises:
        RulesError: as ``check_locale``.
    """
    check_locale(locale)
    return _BY_NAME[_name(locale)]


def _name(locale: str) -> str:
    return locale.replace("_", "-").lower()
