"""The real labelling server as we start it: where it listens, and what a sudden end costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.client import LabelStudio
from annotation.server import find_server
from groundtruth.errors import ReviewError
from label_studio import RealServer

pytestmark = pytest.mark.e2e

CONFIG = '<View><Text name="t" value="$text"/></View>'


def listening_addresses(port: int) -> set[str]:
    """Where this machine listens on a port, as the kernel writes addresses: little-endian hexadecimal."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            _, local, _, state, *_ = line.split()
            address, _, hex_port = local.partition(":")
            if state == "0A" and int(hex_port, 16) == port:
                found.add(address)
    return found


def test_it_listens_on_loopback_only(label_studio: RealServer) -> None:
    assert listening_addresses(int(label_studio.url.rpartition(":")[2])) == {"0100007F"}


def test_it_is_found_without_being_named(label_studio: RealServer) -> None:
    found = find_server(label_studio.environment)
    assert (found.url, found.token, found.files_root) == (
        label_studio.url,
        label_studio.token,
        label_studio.files_root,
    )


def test_a_sudden_end_loses_no_task_that_was_taken(label_studio: RealServer) -> None:
    with LabelStudio.connect(label_studio.url, label_studio.token) as client:
        project = client.create_project("sudden end", CONFIG, "")
        ids = client.import_tasks(project, [{"data": {"text": str(number)}} for number in range(20)])
        label_studio.kill()
        with pytest.raises(ReviewError, match="make label-studio"):
            client.task_count(project)
        label_studio.start_again()
        # Tokens, address and tasks are as they were: the same client goes on.
        assert [task["id"] for task in client.tasks(project)] == ids
