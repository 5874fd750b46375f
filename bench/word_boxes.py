"""Whether the box of a recognised word frames that word: snapped to the text layer, it must be the same word."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.pages import Word, open_document
from groundtruth.recognised import RecognisedPage
from groundtruth.snap import SnapIndex


def report(readings: Path, documents: Mapping[str, bytes]) -> None:
    """Print, for each engine, the share of correctly read words whose box holds that word of the text layer alone.

    A word counts as correctly read when it stands in the text layer within its own height of its box. A word of the
    engine may be several of the text layer without the spaces between.

    Args:
        readings: a folder for each document, with what each engine read on its pages.
        documents: the PDF files with the text layer, by name.
    """
    exact: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for name, content in documents.items():
        layers = _text_layers(content)
        for file in sorted((readings / name).glob("*/*.json")):
            page = RecognisedPage.from_json(jsontext.load_file(file))
            engine = file.parent.name
            words = layers[page.number - 1]
            index = SnapIndex(words)
            for word in page.words:
                if word.text in _near(word.box, words):
                    read[engine] += 1
                    exact[engine] += "".join(words[at].text for at in index.ids([word.box])) == word.text
    for engine in sorted(read):
        print(f"  boxes of {engine}: {read[engine]} words read right, {exact[engine] / read[engine]:.2%} framed alone")


def _text_layers(content: bytes) -> list[Sequence[Word]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "document.pdf"
        file.write_bytes(content)
        with open_document(file) as document:
            return [document.page(number).words for number in range(1, document.page_count + 1)]


def _near(box: Box, words: Sequence[Word]) -> set[str]:
    """The words around a box, and their runs."""
    margin = box.y1 - box.y0
    found = [
        word.text
        for word in words
        if word.box.x0 < box.x1 + margin
        and word.box.x1 > box.x0 - margin
        and word.box.y0 < box.y1 + margin
        and word.box.y1 > box.y0 - margin
    ]
    return {"".join(found[start:end]) for start in range(len(found)) for end in range(start + 1, len(found) + 1)}
