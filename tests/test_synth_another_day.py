"""Nothing of a synthetic document depends on today: neither what is invented nor the bytes that are drawn."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from builders import REPOSITORY
from synth.pattern import CLEAN, HARD, pattern_names

YEARS = (1999, 2041)
ROWS = 12

CLOCKS = """
import datetime, sys, time

MOMENT = datetime.datetime(int(sys.argv[1]), 11, 5, 13, 14, 15, tzinfo=datetime.UTC).timestamp()
local, utc = time.localtime, time.gmtime
time.time = lambda: MOMENT
time.time_ns = lambda: int(MOMENT) * 10**9
time.localtime = lambda seconds=None: local(MOMENT if seconds is None else seconds)
time.gmtime = lambda seconds=None: utc(MOMENT if seconds is None else seconds)

class AsBefore(type):
    def __instancecheck__(cls, value):
        return isinstance(value, cls.__base__)

class Date(datetime.date, metaclass=AsBefore):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(MOMENT)

class DateTime(datetime.datetime, metaclass=AsBefore):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(MOMENT, tz)

    today = now

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(MOMENT, datetime.UTC).replace(tzinfo=None)

datetime.date, datetime.datetime = Date, DateTime
"""
MAKE = """
import hashlib, json, sys, time
from datetime import date, datetime
from reportlab.lib.utils import TimeStamp
from synth.making import Asked, invented, make
from synth.pattern import load_pattern

digests = {}
for name in sys.argv[3:]:
    pattern = load_pattern(name)
    for difficulty in ("clean", "hard"):
        made = make(invented(Asked(pattern, pattern.difficulty(difficulty), 3), int(sys.argv[2])))
        parts = {"content": made.content_bytes, "pdf": made.pdf, "truth": made.truth}
        for part, data in parts.items():
            digests[f"{name} {difficulty} {part}"] = hashlib.sha256(data).hexdigest()
years = [date.today().year, datetime.now().year, time.gmtime().tm_year, time.gmtime(time.time_ns() / 1e9).tm_year]
print(json.dumps({"years": [*years, time.gmtime(TimeStamp().t).tm_year], "digests": digests}))
"""


def made_on(clocks: str, year: int) -> tuple[list[int], dict[str, str]]:
    """What year a process takes it to be, and the digests of what it makes of every pattern."""
    ended = subprocess.run(
        [sys.executable, "-c", clocks + MAKE, str(year), str(ROWS), *pattern_names()],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        check=True,
        text=True,
    )
    said = json.loads(ended.stdout)
    return said["years"], said["digests"]


@pytest.mark.e2e
def test_every_pattern_is_the_same_in_another_year() -> None:
    _, today = made_on("", 0)
    assert len(today) == len(pattern_names()) * len((CLEAN, HARD)) * 3
    for year in YEARS:
        years, then = made_on(CLOCKS, year)
        assert years == [year] * 5
        assert {made for made, digest in then.items() if digest != today[made]} == set()
