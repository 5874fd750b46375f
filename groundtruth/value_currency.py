"""The signs of currencies, as they stand before or after an amount.

Which currency it is makes no difference to an amount: a schema that cares has a field for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import category

# ISO 4217, with the codes that the euro replaced and the two informal ones of the yuan.
_CODES: Final = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF
    CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG
    HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS
    VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL
    ATS BEF DEM ESP FIM FRF GRD IEP ITL LUF NLG PTE CNH RMB
"""

# What people write in place of a symbol or a code; a dot may follow.
_LOCAL: Final = """
    kr zł Kč Ft Fr SFr lei лв руб р грн ден дин din KM RM Rp Rs R TL DM Bs S/ B/ đ 円 元 圓 원 ש"ח ש״ח euro euros
"""

_NAMES: Final = frozenset(name.casefold() for name in (_CODES + _LOCAL).split())
# US$, HK$, $US: a symbol with the letters of its country.
_WITH_COUNTRY: Final = re.compile(r"[A-Za-z]{0,3}(?P<symbol>\W)(?:[A-Z]{2})?")


@lru_cache(maxsize=4096)
def is_currency(sign: str) -> bool:
    """Whether a text without spaces is the symbol, code or usual abbreviation of a currency, in any case."""
    match = _WITH_COUNTRY.fullmatch(sign)
    if match and category(match["symbol"]) == "Sc":
        return True
    return sign.removesuffix(".").casefold() in _NAMES
