"""The signs of currencies, as they stand before or after an amount.

Which currency it is makes no difference to an amount: a schema that cares has a field for it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

# Unicode's category Sc.
_SYMBOLS: Final = (
    "$\u00a2-\u00a5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20c1\ua838\ufdfc\ufe69"
    "\uff04\uffe0\uffe1\uffe5\uffe6"
)

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

# What people write in place of a sign or a code. A dot may follow.
_LOCAL: Final = """
    kr zł Kč Ft Fr SFr sFr. lei лв руб р грн ден дин din KM RM Rp Rs R TL DM Bs S/ B/ S/. B/. đ
    円 元 圓 원 ש"ח ש״ח euro euros
"""


@cache
def currency_signs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns: a sign at the beginning of a text, and one at its end, with the space between sign and number."""
    names = sorted(set(_CODES.split()) | set(_LOCAL.split()), key=lambda name: (-len(name), name))
    named = rf"(?:{'|'.join(re.escape(name) for name in names)})\.?"
    # US$, HK$, $US: a symbol with the letters of its country.
    sign = rf"(?:[A-Z]{{0,3}}[{_SYMBOLS}](?:[A-Z]{{2}}(?![A-Z]))?|{named})"
    before = rf"{sign}\s*(?=[\d(+.,-])"
    after = rf"(?<=[\d).,-])\s*{sign}$"
    return re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE)
