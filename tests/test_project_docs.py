"""What the documentation says: up to date, complete, and its commands run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from annotation.situation import Status as KnownBy
from annotation.situation import Why
from builders import REPOSITORY
from extraction_builders import TEXT, Text, job, schema, text_pdf
from extractors.protocol import run
from flows.command_reference import command_helps, reference
from flows.decision_list import Now
from groundtruth.ballot import Failure, Status
from groundtruth.consensus import Disposition, Note, Presence, Reason, Tier
from groundtruth.document import Kind
from groundtruth.locate_rank import Outcome
from groundtruth.queue import Question
from groundtruth.rules import DECLARABLE, DateOrder, FieldRule, ListOrder

DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.glob("*.md"))]
RUN = "sh run"
FILE = re.compile(r"^```\w+ file=(?P<name>[\w.]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = "text output of goldleaf demo"
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def blocks(text: str, info: str) -> list[str]:
    return [match["body"] for match in FENCE.finditer(text) if match["info"] == info]


def prose(page: Path) -> str:
    return page.read_text("utf-8")


def pages_with_commands() -> list[Path]:
    return [page for page in PAGES if blocks(prose(page), RUN)]


def test_the_command_reference_is_up_to_date() -> None:
    # Made anew by: python -m flows.command_reference > docs/commands.md
    assert prose(DOCS / "commands.md") == reference()


def test_every_command_is_used_in_some_page() -> None:
    text = "\n".join(prose(page) for page in PAGES if page.name != "commands.md")
    assert [name for name, _ in command_helps() if name not in text] == []


def test_every_command_takes_json() -> None:
    assert [name for name, text in command_helps() if "--json" not in text] == []


CODES: dict[str, list[type[StrEnum]]] = {
    "ballot.md": [Status, Failure],
    "consensus.md": [Tier, Disposition, Reason, Note, Presence],
    "document.md": [Kind],
    "evidence.md": [Outcome],
    "queue.md": [Question],
    "schema.md": [DateOrder, ListOrder],
    "truth.md": [KnownBy, Why, Now],
}


@pytest.mark.parametrize("page", CODES)
def test_every_code_is_documented(page: str) -> None:
    text = prose(DOCS / page)
    assert [str(code) for kind in CODES[page] for code in kind if f"`{code}`" not in text] == []


def test_every_comparator_and_rule_is_documented() -> None:
    text = prose(DOCS / "schema.md")
    names = [*map(str, DECLARABLE), *FieldRule.model_fields]
    assert [name for name in names if f"`{name}`" not in text] == []


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path, text: str) -> Iterator[str]:
    for match in LINK.finditer(text):
        target = (page.parent / match["target"]).resolve() if match["target"] else page
        if not target.exists():
            yield match["target"]
        elif match["anchor"] and match["anchor"] not in anchors(target.read_text("utf-8")):
            yield f"{match['target']}#{match['anchor']}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken_links(page, prose(page))) == []


@pytest.mark.parametrize("link", ["[x](nowhere.md)", "[x](README.md#no-such-heading)", "![x](docs/none.svg)"])
def test_a_broken_link_is_found(link: str) -> None:
    assert list(broken_links(REPOSITORY / "README.md", link)) != []


def test_every_page_is_linked_from_the_index() -> None:
    text = prose(DOCS / "index.md")
    assert [page.name for page in DOCS.glob("*.md") if page.name != "index.md" and f"({page.name})" not in text] == []


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda picture: picture.name)
def test_a_picture_is_well_formed_and_says_what_it_shows(picture: Path) -> None:
    root = ElementTree.parse(picture).getroot()
    inside = {element.tag.rpartition("}")[2]: (element.text or "").strip() for element in root}
    assert inside["title"]
    assert inside["desc"]


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.png")), ids=lambda picture: picture.name)
def test_a_screenshot_is_small_and_is_shown_with_words_for_it(picture: Path) -> None:
    with Image.open(picture) as opened:
        opened.verify()
    assert picture.stat().st_size < 150_000
    shown = [re.findall(rf"!\[(.+)\]\(pictures/{re.escape(picture.name)}\)", prose(page)) for page in PAGES]
    assert any(shown)


def goldleaf_lines(text: str) -> Iterator[list[str]]:
    """Every call of the program in the blocks of shell commands, and in what a table shows to type."""
    for match in FENCE.finditer(text):
        if match["info"].split(" ")[0] == "sh":
            for line in match["body"].replace("\\\n", " ").splitlines():
                if line.startswith("goldleaf "):
                    yield shlex.split(line.partition(" || ")[0])
    for line in re.findall(r"`(goldleaf [^`]+)`", FENCE.sub("", text)):
        yield shlex.split(line)


def unknown_words(call: list[str], helps: dict[str, str]) -> list[str]:
    """The command or the options of a call that the program does not have."""
    name = next((" ".join(call[:size]) for size in (3, 2) if " ".join(call[:size]) in helps), None)
    if name is None:
        groups = {known.rpartition(" ")[0] for known in helps}
        return [] if " ".join(call[:2]) in groups or call[1].startswith("-") or call[1] == "..." else [" ".join(call)]
    options = {word.partition("=")[0] for word in call if word.startswith("--")}
    return sorted(option for option in options if not re.search(rf"^  {option}\b", helps[name], re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_exist(page: Path) -> None:
    helps = dict(command_helps())
    assert [bad for call in goldleaf_lines(prose(page)) for bad in unknown_words(call, helps)] == []


@pytest.mark.parametrize(
    "text",
    ["```sh\ngoldleaf frobnicate x\n```\n", "```sh run\ngoldleaf queue \\\n  --sideways x\n```\n", "`goldleaf x`"],
)
def test_an_unknown_command_or_option_is_found(text: str) -> None:
    helps = dict(command_helps())
    assert [bad for call in goldleaf_lines(text) for bad in unknown_words(call, helps)] != []


def surroundings(folder: Path) -> dict[str, str]:
    """A folder with the repository's data in it, and an environment whose ``goldleaf`` is this one."""
    (folder / "datasets").symlink_to(REPOSITORY / "datasets")
    programs = folder / "programs"
    programs.mkdir()
    for name, call in (("python", ""), ("goldleaf", " -m flows.cli")):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{call} "$@"\n')
        script.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "COLUMNS": "100",
    }


def run_blocks(commands: list[str], folder: Path) -> str:
    """Run shell blocks one after another in one folder; return what they printed, or fail with it."""
    script = "set -eu\n" + "\n".join(commands)
    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=folder, env=surroundings(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


FIELD_RULES = DOCS / "field-rules.md"


@pytest.mark.e2e
@pytest.mark.parametrize("page", [page for page in pages_with_commands() if page != FIELD_RULES], ids=name_of)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    for shown in FILE.finditer(prose(page)):
        (tmp_path / shown["name"]).write_text(shown["body"])
    run_blocks(blocks(prose(page), RUN), tmp_path)


def test_the_extractor_of_ones_own_is_short_and_reads_a_letterhead(tmp_path: Path) -> None:
    (shown,) = FILE.finditer(prose(DOCS / "extractors.md"))
    assert shown["body"].count("\n") < 150
    scope: dict[str, Any] = {}
    exec(compile(shown["body"], shown["name"], "exec"), scope)
    file = text_pdf(tmp_path / "a.pdf", [Text(50, 60, "Halden & Rowe", size=20), Text(50, 100, "Invoice No. 7")])
    wanted = schema({"supplier": {"type": "object", "properties": {"name": TEXT}}, "total": TEXT})
    ballot = run(scope["Letterhead"](), job(file, wanted))
    assert ballot.data == {"supplier": {"name": "Halden & Rowe"}}
    assert ballot.unsupported == {("total",)}


@pytest.mark.e2e
def test_the_readme_shows_what_the_demo_prints_and_its_claims_can_be_seen(tmp_path: Path) -> None:
    readme = prose(REPOSITORY / "README.md")
    claims = [line for line in re.findall(r"\| `(goldleaf [^`]+)` \|", readme) if "imported-demo" in line]
    assert claims
    commands = ["goldleaf demo", "goldleaf demo --imported imported-demo", *claims]
    printed = run_blocks(commands, tmp_path).splitlines()
    shown = [line for block in blocks(readme, OUTPUT) for line in block.splitlines()]
    assert shown
    known = [line.rstrip().replace(str(tmp_path), "...") for line in printed]
    assert [line for line in shown if not any(is_like(line.rstrip(), other) for other in known)] == []


def is_like(shown: str, printed: str) -> bool:
    """Whether two lines differ by little in their numbers alone: the models of OCR round by the processor."""
    if NUMBER.sub("", shown).split() != NUMBER.sub("", printed).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(abs(float(one) - float(other)) <= max(4, 0.02 * float(one)) for one, other in pairs)


def test_a_failing_block_is_seen(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="exit code 3"):
        run_blocks(["true", "exit 3"], tmp_path)


@pytest.mark.e2e
def test_the_field_rules_page_tells_the_truth(tmp_path: Path) -> None:
    printed = run_blocks(blocks(prose(FIELD_RULES), RUN), tmp_path)
    before, _, after = printed.rpartition("purchased_on")
    assert "split: no value has more than half" in before
    assert "unanimous: every system that voted read the same value" in after
    assert 'value: "2025-04-05"; disposition: accept' in after
