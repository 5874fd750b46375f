"""Synthetic long lists: what making them costs, and how the shipped extractors read each pattern."""

from __future__ import annotations

from bench import synth_speed


def main() -> None:
    """Print the figures."""
    synth_speed.main()
    print()
    # Only now: a process is said to use at least the memory of the one that starts it, which would be this one's.
    from bench import synth_readers

    synth_readers.main()
