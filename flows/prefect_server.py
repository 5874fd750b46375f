"""The Prefect server of one run, as a process of its own: ``python -m flows.prefect_server DESCRIPTOR``.

It serves on a listening socket that it inherits, so no other process can take its port, and it ends with the process
that started it, however that ends.
"""

from __future__ import annotations

import socket
import sys
from typing import Final

from extractors.worker import die_with_parent

_SHUTDOWN_SECONDS: Final = 3


def main(descriptor: int) -> None:
    """Serve until a signal says to stop."""
    die_with_parent()
    import uvicorn

    config = uvicorn.Config(
        "prefect.server.api.server:create_app",
        factory=True,
        log_level="error",
        lifespan="on",
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
