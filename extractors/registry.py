"""Which extractors there are: names to classes, imported only when they are used."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Final

from extractors.protocol import Extractor, ExtractorInfo
from groundtruth.errors import DatasetError, ExtractorError
from groundtruth.store_ballots import checked_system

BUILT_IN: Final[Mapping[str, str]] = {
    "text-geo": "extractors.text_geo:TextGeo",
    "text-cells": "extractors.text_cells:TextCells",
    "ocr-rapid": "extractors.ocr_rapid:OcrRapid",
    "ocr-tess": "extractors.ocr_tess:OcrTess",
    "acroform": "extractors.acroform:AcroForm",
}
"""The shipped extractors, by name, as ``module:Class``."""

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def load(spec: str) -> Extractor:
    """The extractor that ``spec`` names: a built-in name, or ``module:Class`` of one's own.

    Raises:
        ExtractorError: no such name, module or class, a class that is no extractor, or a name that no file of the
            dataset can have; the message says which.
    """
    target = BUILT_IN.get(spec, spec)
    if not _DOTTED.fullmatch(target):
        raise ExtractorError(
            f"no extractor is called {spec!r}; there is {', '.join(BUILT_IN)}, or name one of your own as module:Class"
        )
    module_name, class_name = target.split(":")
    try:
        made = getattr(importlib.import_module(module_name), class_name)()
    except Exception as error:
        raise ExtractorError(
            f"extractor {spec} cannot be imported ({type(error).__name__}: {error}); is its package installed here?"
        ) from error
    if not isinstance(made, Extractor):
        raise ExtractorError(f"extractor {spec}: the class lacks info, available or extract; see extractors/protocol")
    info: object = made.info
    if not isinstance(info, ExtractorInfo):
        raise ExtractorError(f"extractor {spec}: its info is a {type(info).__name__}; make it an ExtractorInfo")
    try:
        checked_system(info.name)
    except DatasetError as error:
        raise ExtractorError(f"extractor {spec}: {error}") from error
    return made


def unavailable(specs: Sequence[str] = ()) -> dict[str, str]:
    """What each extractor lacks that cannot run here, and how to get it; of all built-in ones by default."""
    found: dict[str, str] = {}
    for spec in specs or BUILT_IN:
        try:
            missing = load(spec).available()
        except ExtractorError as error:
            missing = str(error)
        except Exception as error:  # noqa: BLE001 - what ails one extractor must not stop the others
            missing = f"{type(error).__name__}: {error}"
        if missing:
            found[spec] = missing
    return found


def choose(specs: Sequence[str]) -> dict[str, Extractor]:
    """The extractors to run, by spec: those named, or without names every built-in one that can run here.

    Raises:
        ExtractorError: an unknown one, a named one that cannot run here, two with one name, or none at all.
    """
    named = {spec: load(spec) for spec in specs}
    missing = unavailable(specs)
    if missing and (specs or len(missing) == len(BUILT_IN)):
        raise ExtractorError("; ".join(f"extractor {spec} cannot run here: {why}" for spec, why in missing.items()))
    chosen = named or {spec: load(spec) for spec in BUILT_IN if spec not in missing}
    names = [extractor.info.name for extractor in chosen.values()]
    for name in names:
        if names.count(name) > 1:
            raise ExtractorError(f"two extractors are called {name}; run one of them")
    return chosen
