"""The languages that documents are written in, as ISO 639-1 codes: two lower-case letters."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from groundtruth.errors import DatasetError

DEFAULT_LANGUAGES: Final = ("en",)

CODES: Final = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne
    ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st
    su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()  # noqa: SIM905 - as a list it would be a page long
)

_OFTEN_MEANT: Final = {
    "eng": "en", "english": "en", "deu": "de", "ger": "de", "german": "de", "fra": "fr", "fre": "fr", "french": "fr",
    "spa": "es", "spanish": "es", "ita": "it", "italian": "it", "por": "pt", "portuguese": "pt", "nld": "nl",
    "dut": "nl", "dutch": "nl", "pol": "pl", "polish": "pl", "jp": "ja", "cn": "zh", "gr": "el", "cz": "cs", "dk": "da",
    "ua": "uk",
}  # fmt: skip


def check_languages(codes: Iterable[str]) -> tuple[str, ...]:
    """The codes in the order given, the main language first.

    Raises:
        DatasetError: none at all, one twice, or one that is no code of ISO 639-1; the message proposes what was meant.
    """
    chosen = tuple(codes)
    if not chosen:
        raise DatasetError("no language is given; name at least one, such as en")
    for code in chosen:
        if code not in CODES:
            raise DatasetError(f"{code!r} is no language code of ISO 639-1 (two small letters){_hint(code)}")
        if chosen.count(code) > 1:
            raise DatasetError(f"language {code!r} is given twice; name each once, the main one first")
    return chosen


def _hint(code: str) -> str:
    plain = code.strip().lower().replace("-", "_")
    for guess in (plain, _OFTEN_MEANT.get(plain, ""), plain.partition("_")[0]):
        if guess in CODES:
            return f"; did you mean {guess}?"
    near = difflib.get_close_matches(plain, _OFTEN_MEANT, n=1, cutoff=0.8)
    return f"; did you mean {_OFTEN_MEANT[near[0]]}?" if near else "; English is en, German de, French fr"
