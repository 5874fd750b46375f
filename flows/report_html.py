"""A document's vote as one HTML page: the pages with the proposed values framed, beside every leaf and its votes.

The page is static: it opens from the folder without a server, and loads nothing from anywhere else. All text of
documents and systems is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from consensus.order import Voted
from flows.decision_list import Listed, said, state_words
from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.consensus import Consensus, LeafConsensus, RowConsensus
from groundtruth.path import format_path
from groundtruth.wording import counted


class Picture(NamedTuple):
    """A page's picture: its number, and the name of its file beside the HTML."""

    page: int
    file: str


_POLICY: Final = "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'"

_STYLE: Final = """
:root { --accept: #2e7d32; --provisional: #b26a00; --review: #c62828; --inherit: #546e7a }
body { font: 14px/1.45 system-ui, sans-serif; margin: 0; color: #222; background: #f5f5f2 }
header { padding: 12px 20px; background: #fff; border-bottom: 1px solid #ddd }
h1 { font-size: 18px; margin: 0 0 4px } h2 { font-size: 15px; margin: 18px 0 6px }
main { display: grid; grid-template-columns: minmax(320px, 1fr) minmax(420px, 1fr); gap: 20px; padding: 16px 20px }
.pages { position: sticky; top: 0; max-height: 100vh; overflow: auto }
.page { position: relative; margin: 0 0 12px; box-shadow: 0 1px 4px #0003; background: #fff }
.page img { display: block; width: 100% }
.page a { position: absolute; border: 1.5px solid; border-radius: 2px; opacity: .75 }
.page a:hover, .page a:target { opacity: 1; box-shadow: 0 0 0 3px currentColor }
.accept { color: var(--accept) } .provisional { color: var(--provisional) }
.review { color: var(--review) } .inherit { color: var(--inherit) }
.maybe { border-style: dashed !important }
table { border-collapse: collapse; width: 100%; background: #fff }
th, td { text-align: left; vertical-align: top; padding: 3px 8px; border-bottom: 1px solid #e5e5e0 }
td { overflow-wrap: anywhere }
th { font-weight: 600; background: #fafaf7; position: sticky; top: 0 }
td.path { font-family: ui-monospace, monospace; font-size: 12.5px } td.path a { color: inherit }
tr:target { background: #fff6d6 } .votes { color: #555; font-size: 12.5px } .dim { color: #777 }
@media (max-width: 900px) { main { grid-template-columns: 1fr } .pages { position: static; max-height: none } }
"""


def document_page(one: Voted, pictures: Sequence[Picture], decisions: Sequence[Listed] = ()) -> str:
    """The HTML page of one document.

    Args:
        one: its vote.
        pictures: its pages; without any it shows the votes alone.
        decisions: what people decided on it.
    """
    consensus = one.consensus
    title = escape(one.document)
    open_first = sorted(consensus.leaves, key=lambda leaf: leaf.disposition == "accept")
    return _page(
        title,
        f"<p>{escape(one.schema.name)} {escape(one.schema.version)}; {consensus.n} of "
        f"{counted(len(consensus.systems), 'system')} voted: {escape(', '.join(consensus.systems))}. "
        "Frames: <span class=accept>accepted</span>, <span class=provisional>provisional</span>, "
        "<span class=review>to review</span>; "
        "dashed where the place is not certain. <a href='index.html'>All documents</a></p>" + _abstained(consensus),
        f"<div class=pages>{''.join(_picture(picture, consensus) for picture in pictures)}</div>"
        f"<div>{_decided(decisions)}{_rows(consensus)}<h2>Leaves, open ones first</h2>{_leaves(open_first)}</div>",
    )


def index_page(name: str, votes: Sequence[Voted], links: Sequence[str]) -> str:
    """The HTML page that lists the documents; ``links`` are the files of ``document_page``."""
    lines = "".join(
        f"<tr><td class=path><a href='{escape(link)}'>{escape(one.document)}</a></td>"
        f"<td>{len(one.consensus.leaves)}</td>"
        + "".join(
            f"<td class={kind}>{sum(leaf.disposition == kind for leaf in one.consensus.leaves)}</td>"
            for kind in ("accept", "provisional", "review")
        )
        + "</tr>"
        for one, link in zip(votes, links, strict=True)
    )
    head = "<tr><th>document</th><th>leaves</th><th>accepted</th><th>provisional</th><th>to review</th></tr>"
    return _page(escape(name), "", f"<div><table>{head}{lines}</table></div>")


def _page(title: str, intro: str, body: str) -> str:
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f'<meta http-equiv=Content-Security-Policy content="{_POLICY}">'
        f"<title>{title}</title><style>{_STYLE}</style>"
        f"<header><h1>{title}</h1>{intro}</header><main>{body}</main></html>\n"
    )


def _abstained(consensus: Consensus) -> str:
    return _listed("Abstained", consensus.abstained) + _listed("Cut, and silent on what they lack", consensus.partial)


def _listed(what: str, reasons: Mapping[str, str]) -> str:
    lines = [f"{system}: {reason}" for system, reason in sorted(reasons.items())]
    return f"<p class=dim>{what}: {escape('; '.join(lines))}</p>" if lines else ""


def _picture(picture: Picture, consensus: Consensus) -> str:
    frames = [
        _frame(leaf, box, certain=leaf.location.certain)
        for leaf in consensus.leaves
        for evidence in leaf.location.evidence
        if evidence.page == picture.page
        for box in evidence.boxes
    ]
    image = f"<img src='{escape(picture.file)}' alt='page {picture.page}' loading=lazy>"
    return f"<div class=page>{image}{''.join(frames)}</div>"


def _frame(leaf: LeafConsensus, box: Box, *, certain: bool) -> str:
    x, y, width, height = (100 * number for number in box.xywh)
    path = format_path(leaf.path)
    return (
        f"<a class='{leaf.disposition}{'' if certain else ' maybe'}' href='#{escape(path)}' "
        f"title='{escape(f'{path} = {jsontext.dumps(leaf.value)}')}' "
        f"style='left:{x:.3f}%;top:{y:.3f}%;width:{width:.3f}%;height:{height:.3f}%'></a>"
    )


def _decided(decisions: Sequence[Listed]) -> str:
    if not decisions:
        return ""
    head = "<tr><th>leaf or row</th><th>said</th><th>by</th><th>at</th><th>now</th></tr>"
    return f"<h2>What people decided</h2><table>{head}{''.join(map(_decision, decisions))}</table>"


def _decision(listed: Listed) -> str:
    decision = listed.decision
    path = escape(format_path(decision.path if listed.path is None else listed.path))
    link = path if listed.path is None else f"<a href='#{path}'>{path}</a>"
    return (
        f"<tr><td class=path>{link}</td><td>{escape(said(decision))}</td><td>{escape(decision.reviewer)}</td>"
        f"<td>{escape(decision.decided_at)}</td><td class=dim>{escape(state_words(listed))}</td></tr>"
    )


def _rows(consensus: Consensus) -> str:
    contested = [row for row in consensus.rows if row.tier != "unanimous" or row.reasons]
    if not contested:
        return ""
    head = "<tr><th>row</th><th>presence</th><th>has it</th><th>lacks it</th><th>why</th></tr>"
    return f"<h2>Contested rows</h2><table>{head}{''.join(map(_row, contested))}</table>"


def _row(row: RowConsensus) -> str:
    having = ", ".join(system for system, there in row.present.items() if there is True)
    lacking = ", ".join(system for system, there in row.present.items() if there is False)
    cells = [
        f"<td class=path>{escape(format_path(row.path))}</td>",
        f"<td class={row.disposition}>{row.presence}</td>",
        f"<td class=votes>{escape(having)}</td><td class=votes>{escape(lacking)}</td>",
        f"<td class=dim>{escape(', '.join(row.reasons))}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _leaves(leaves: Sequence[LeafConsensus]) -> str:
    head = "<tr><th>leaf</th><th>value</th><th>tier</th><th>votes</th></tr>"
    return f"<table>{head}{''.join(map(_leaf, leaves))}</table>"


def _leaf(leaf: LeafConsensus) -> str:
    path = escape(format_path(leaf.path))
    value = escape(jsontext.dumps(leaf.value)) if leaf.resolved else "<em>unresolved</em>"
    why = escape(", ".join([*leaf.reasons, *leaf.notes]))
    return (
        f"<tr id='{path}'><td class=path><a href='#{path}'>{path}</a></td><td class={leaf.disposition}>{value}</td>"
        f"<td>{leaf.tier}<div class=dim>{why}</div></td><td class=votes>{_votes(leaf)}</td></tr>"
    )


def _votes(leaf: LeafConsensus) -> str:
    if len(leaf.candidates) == 1:
        return f"all {len(leaf.votes)}"
    lines = []
    for found in leaf.candidates:
        form = " / ".join(jsontext.dumps(form) for form in found.forms)
        lines.append(f"{form}{'' if found.valid else ' (invalid)'}: {', '.join(found.systems)}")
    return "<br>".join(map(escape, lines))
