"""How long a labeler waits for the next packet: a real server, a real browser, from the submitting key to the picture.

Packets of one question, and a form of 150 leaves that is split into packets of eight. The server is started for this,
in a folder of its own, unless ``LABEL_STUDIO_URL`` and ``LABEL_STUDIO_API_KEY`` name one on this machine.
"""

from __future__ import annotations

import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from annotation.asked import Asked
from annotation.choose import choose
from annotation.client import LabelStudio
from annotation.labeling_config import labeling_config
from annotation.packet import Packet
from annotation.packets import make_packets
from annotation.pictures import pictures_of
from annotation.server import URL_VARIABLE, ServerAddress, find_server
from annotation.server_command import PROGRAM
from annotation.server_process import ServerFolder, start, stop
from annotation.tasks import build_task
from consensus.order import Voted, review_queue
from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.consensus import Location
from groundtruth.document import Kind
from groundtruth.evidence import Evidence
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bench.screen import Screen

LEAVES: Final = 150
SINGLE: Final = 20
AIM_ONE: Final = 2.0
AIM_EIGHT: Final = 4.0
_COLUMNS: Final = 3
_SIZE: Final = (1240, 1754)


def main() -> None:
    """Print the figures."""
    if find_spec("playwright") is None or not PROGRAM.exists():
        print("left out: needs the browser's driver and the server; `make setup label-studio-env` installs both")
        return
    from bench.screen import browser

    if browser() is None:
        print("left out: no Chromium on the PATH; on Debian: apt-get install chromium")
        return
    with _server() as address:
        _measure(address)


def _measure(address: ServerAddress) -> None:
    singles = [packet for name in range(SINGLE) for packet in _packets(f"note-{name}", 1, Kind.REAL)]
    form = _packets("form", LEAVES, Kind.FORM)
    print(f"a form of {LEAVES} leaves is split into {len(form)} packets of at most {max(len(p.cards) for p in form)}")
    _report("next packet of one question", _waits(address, singles), AIM_ONE)
    _report(f"next page of the form of {LEAVES} leaves", _waits(address, form), AIM_EIGHT)


def _report(what: str, waits: Sequence[float], aim: float) -> None:
    median = statistics.median(waits)
    worst = max(waits)
    met = "met" if median <= aim else "MISSED"
    print(
        f"{what:42}median {median:5.2f} s, longest {worst:5.2f} s of {len(waits)}   aim {aim:.0f} s: {met}", flush=True
    )


def _waits(address: ServerAddress, packets: Sequence[Packet]) -> list[float]:
    """The seconds from each submitting key until the next packet is on the screen with its pictures."""
    from bench.screen import Screen

    email, password = f"bench-{secrets.token_hex(4)}@goldleaf.example", secrets.token_hex(12)
    with LabelStudio.connect(address.url, address.token) as client:
        client.add_user(email, password, hotkeys={"annotation:submit": "space"})
        project = client.create_project("bench", labeling_config(), "speed of the screen")
        _push(client, project, address, packets)
    with Screen(address.url, email, password) as screen:
        screen.label(project)
        screen.wait_for(packets[0].cards[0].title)
        waits = []
        for before, after in pairwise(packets):
            _answer(screen, before)
            begun = time.perf_counter()
            screen.page.keyboard.press("Space")
            screen.wait_for(after.cards[0].title)
            waits.append(time.perf_counter() - begun)
    return waits


def _answer(screen: Screen, packet: Packet) -> None:
    # On a form the answers are chosen beforehand.
    if packet.cards[0].preselected is None:
        screen.press("1")
    screen.page.wait_for_timeout(300)


def _push(client: LabelStudio, project: int, address: ServerAddress, packets: Sequence[Packet]) -> None:
    if address.files_root is None:
        raise SystemExit("the server's root for local files is not known; name it in its variable, or use no server")
    folder = address.files_root / f"bench-{project}"
    folder.mkdir()
    client.ensure_local_storage(project, folder)
    tasks = []
    for packet in packets:
        pictures = pictures_of(packet, _raster)
        for name, data in pictures.items():
            (folder / name).write_bytes(data)
        tasks.append(build_task(packet, {name: f"/data/local-files/?d={folder.name}/{name}" for name in pictures}))
    client.import_tasks(project, tasks)


def _packets(document: str, leaves: int, kind: Kind) -> list[Packet]:
    """The packets of a document with so many fields, each read alike by all of a form, differently otherwise."""
    schema = _schema(leaves)
    readings = [{f"field_{at:03}": _value(at) for at in range(leaves)} for _ in range(3)]
    if kind is not Kind.FORM:
        readings[2] = {name: f"{value}0" for name, value in readings[2].items()}
        readings[1] = {name: f"{value}1" for name, value in readings[1].items()}
    result = vote(
        schema, [Ballot(name, name, data=data) for name, data in zip("ABC", readings, strict=True)], kind=kind
    )
    located = tuple(
        leaf._replace(location=Location((Evidence(page=1, boxes=(_box(at),)),), certain=True))
        for at, leaf in enumerate(result.leaves)
    )
    consensus = replace(result, leaves=located)
    asked = {document: Asked(document, "", kind, schema, consensus, page_count=1)}
    packets = make_packets(choose(review_queue([Voted(document, schema, consensus)])), asked, round_number=1)
    return [_titled(packet, f"{document} {number}") for number, packet in enumerate(packets, 1)]


def _titled(packet: Packet, title: str) -> Packet:
    """The packet with a first title that no other has, to see when it is on the screen."""
    return replace(packet, cards=(replace(packet.cards[0], title=f"{title}."), *packet.cards[1:]))


def _schema(leaves: int) -> FrozenSchema:
    properties = {
        f"field_{at:03}": {"type": ["string", "null"], "description": f"What stands in field {at}."}
        for at in range(leaves)
    }
    return compile_schema({"type": "object", "properties": properties}, Rules(), name="form", version="1")


def _value(at: int) -> str:
    return f"value {at * 7919 % 10000:04}"


def _box(at: int) -> Box:
    x, y = 0.06 + 0.31 * (at % _COLUMNS) + 0.1, 0.04 + 0.018 * (at // _COLUMNS)
    return Box(x, y, x + 0.12, y + 0.013)


def _raster(_document: str, _number: int) -> NDArray[np.uint8]:
    picture = Image.new("RGB", _SIZE, "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(20)
    for at in range(LEAVES):
        box = _box(at)
        draw.text((box.x0 * _SIZE[0] - 110, box.y0 * _SIZE[1]), f"Field {at:03}", fill="black", font=font)
        draw.text((box.x0 * _SIZE[0], box.y0 * _SIZE[1]), _value(at), fill="black", font=font)
    return np.asarray(picture)


@contextmanager
def _server() -> Iterator[ServerAddress]:
    if os.environ.get(URL_VARIABLE):
        yield find_server()
        return
    with tempfile.TemporaryDirectory() as home:
        folder = ServerFolder(Path(home) / "server")
        print("starting a server, which takes about two minutes", flush=True)
        try:
            yield start(folder, PROGRAM, port=0, environment={"XDG_STATE_HOME": home}).address
        finally:
            stop(folder)
