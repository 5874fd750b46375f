"""The labelling screen in a real browser, for tests: that of ``bench.screen``, with pictures for people to look at."""

from __future__ import annotations

import os
from typing import Final

import pytest

from bench.screen import Screen as Browser
from bench.screen import browser
from builders import REPOSITORY

ARTEFACTS: Final = REPOSITORY / "test-artefacts"
"""Screenshots stay here."""
LAPTOP: Final = (1366, 768)


class Screen(Browser):
    """A browser in which somebody is signed in; without Chromium the test is skipped, or fails in continuous builds."""

    def __init__(self, url: str, email: str, password: str, size: tuple[int, int] = LAPTOP) -> None:
        if browser() is None:
            message = "no Chromium on the PATH; on Debian: apt-get install chromium"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
        super().__init__(url, email, password, size)

    def shoot(self, name: str) -> None:
        """Keep a picture of the screen."""
        folder = ARTEFACTS / "screen"
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png")
