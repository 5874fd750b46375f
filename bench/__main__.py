"""Figures of speed, memory and truth: ``python -m bench [NAME ...]``; each section is a module with ``main()``."""

from __future__ import annotations

import importlib
import sys

SECTIONS = {
    "vote": "bench.vote_speed",
    "pairing": "bench.assignment_speed",
    "scoring": "bench.scoring_speed",
    "scores-real": "bench.scores_real",
    "truth": "bench.truth",
    "readers": "bench.readers",
    "readers-real": "bench.readers_real",
    "synth": "bench.synth",
    "review": "bench.review_speed",
    "recapture": "bench.recapture",
}


def main(names: list[str]) -> int:
    """Run the named sections, or all."""
    unknown = sorted(set(names) - SECTIONS.keys())
    if unknown:
        print(f"no section {unknown[0]!r}; there are: {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    for name in names or SECTIONS:
        print(f"\n== {name}", flush=True)
        importlib.import_module(SECTIONS[name]).main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
