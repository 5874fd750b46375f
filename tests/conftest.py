"""Settings that hold for every test."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile(
    "goldleaf", derandomize=True, deadline=None, print_blob=True, database=None
)
hypothesis.settings.load_profile("goldleaf")
