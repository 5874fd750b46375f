"""Synthetic long lists: what making them costs, and how the shipped extractors read each pattern."""

from __future__ import annotations

from bench import synth_readers, synth_speed


def main() -> None:
    """Print the figures."""
    synth_speed.main()
    print()
    synth_readers.main()
