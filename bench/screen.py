"""The labelling screen in a real browser, used as a labeler uses it: mostly by keys."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from playwright.sync_api import FloatRect, Locator, Page, sync_playwright

LAPTOP: Final = (1366, 768)

_SETTLED: Final = """() => {
    const shown = document.querySelector('.gl-page') && getComputedStyle(document.querySelector('.gl-page')).display;
    const pictures = [...document.querySelectorAll(shown === 'none' ? '.gl-side img' : '.gl img')];
    const drawn = shown === 'none' || document.querySelector('.konvajs-content canvas');
    return drawn && pictures.every(picture => picture.complete && picture.naturalWidth > 0);
}"""


class Point(NamedTuple):
    """A place on the screen, in pixels."""

    x: float
    y: float


class Screen:
    """A browser in which somebody is signed in; a context manager.

    Attributes:
        page: the browser's page.
        foreign: addresses that the page asked for and that are not the server's.
    """

    def __init__(self, url: str, email: str, password: str, size: tuple[int, int] = LAPTOP) -> None:
        self._url, self._email, self._password = url, email, password
        self._size = size
        self.foreign: list[str] = []

    def __enter__(self) -> Self:
        self._playwright = sync_playwright().start()
        width, height = self._size
        self._browser = self._playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        self.page: Page = self._browser.new_page(viewport={"width": width, "height": height})
        self.page.set_default_timeout(20_000)
        self.page.on("request", lambda request: self._watch(request.url))
        # A page that is left with an answer begun asks whether one means it.
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.goto(f"{self._url}/user/login/")
        self.page.fill("input[name=email]", self._email)
        self.page.fill("input[name=password]", self._password)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(lambda address: "login" not in address)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._browser.close()
        self._playwright.stop()

    def label(self, project: int) -> None:
        """Begin to label, as the button "Label All Tasks" does."""
        self.page.goto(f"{self._url}/projects/{project}/data?labeling=1")

    def wait_for(self, title: str) -> None:
        """Until a packet whose first card has this title is on the screen, with its pictures and its boxes."""
        self.page.locator(".gl-title").first.filter(has_text=title).wait_for()
        self.page.wait_for_function(_SETTLED)
        self.page.locator(".gl-card input").first.wait_for()

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            # The editor takes what is drawn or chosen in its next frame.
            self.page.wait_for_timeout(60)

    def type(self, text: str, card: int = 0) -> None:
        """Click into the field of "other value", and type."""
        self.card(card).locator("textarea").click()
        self.page.keyboard.type(text)

    def tick(self, words: str, card: int = 0) -> None:
        """Tick a flag."""
        self.card(card).locator(".gl-flags label").filter(has_text=words).click()

    def card(self, number: int) -> Locator:
        """A card, counted from 0."""
        return self.page.locator(".gl-card").nth(number)

    def keys_of(self, card: int) -> dict[str, str]:
        """The keys that a card shows beside its answers, by the answers' words."""
        found = {}
        for choice in self.card(card).locator(".lsf-choice:not(.gl-flags *):not(.gl-also *)").all():
            hint = choice.locator(".lsf-hint")
            key = hint.inner_text()
            found[choice.inner_text().removesuffix(key).strip()] = key.strip("[]")
        return found

    def at(self, x: float, y: float) -> Point:
        """Where a place of the page, in parts of it, is on the screen; the page is scrolled so that it is seen."""
        pane = self.page.locator(".gl-page")
        pane.evaluate("(pane, top) => { pane.scrollTop = top }", max(0.0, y * self._picture()["height"] - 200))
        frame = self._picture()
        return Point(frame["x"] + x * frame["width"], frame["y"] + y * frame["height"])

    def drag(self, start: Point, by: Point) -> None:
        """Drag the mouse from a place by so many pixels."""
        mouse = self.page.mouse
        mouse.move(start.x, start.y)
        mouse.down()
        mouse.move(start.x + by.x / 2, start.y + by.y / 2, steps=4)
        mouse.move(start.x + by.x, start.y + by.y, steps=4)
        mouse.up()
        self.page.wait_for_timeout(100)

    def picture_size(self) -> Point:
        """The size of the page's picture on the screen, in pixels."""
        frame = self._picture()
        return Point(frame["width"], frame["height"])

    def _picture(self) -> FloatRect:
        frame = self.page.locator(".lsf-image").first.bounding_box()
        if frame is None:
            raise ValueError("no page is on the screen")
        return frame

    def _watch(self, address: str) -> None:
        if not address.startswith((self._url, "blob:", "data:")):
            self.foreign.append(address)


def browser() -> Path | None:
    """The program of Chromium, or None where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return None if found is None else Path(found)
