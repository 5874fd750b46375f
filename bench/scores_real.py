"""Six published systems scored on 25 published documents, beside the figures that the makers of those published.

The documents are third parties' and no part of this project: without them (``../shared``, or ``GOLDLEAF_SHARED``) the
section says so and ends.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

METRICS: Final = ("verdicts", "value-f1")


def main() -> None:
    """Print the figures."""
    root = Path(os.environ.get("GOLDLEAF_SHARED") or Path(__file__).parents[2] / "shared") / "real" / "docubench"
    if not root.is_dir():
        print(f"{root} is not there, so nothing is scored")
        return
    published = json.loads((root / "published_scores.json").read_text())["documents"]
    systems = sorted({system for scores in published.values() for system in scores})
    theirs = {
        system: [scores[system] for scores in published.values() if scores.get(system) is not None]
        for system in systems
    }
    with tempfile.TemporaryDirectory() as folder:
        dataset = Path(folder) / "docubench"
        goldleaf("import", root, "--from", "docubench", "--out", dataset, "--json")
        found = {
            (system, metric): goldleaf("score", dataset, system, "--metric", metric, "--json")
            for system in systems
            for metric in METRICS
        }
    means = {
        system: (
            sum(theirs[system]) / len(theirs[system]),
            found[system, "verdicts"]["mean_with_failures"]["accuracy"],
            found[system, "value-f1"]["mean_with_failures"]["value"]["f1"],
        )
        for system in systems
    }
    documents = len(published)
    print(f"mean of {documents} documents, failures at 0; in brackets the rank")
    print(f"{'system':20}{'published':>16}{'accuracy':>16}{'value F1':>16}{'coverage':>10}")
    for system in sorted(systems, key=lambda system: -means[system][1]):
        cells = [f"{mean:.4f} ({_rank(means, system, at)})" for at, mean in enumerate(means[system])]
        coverage = found[system, "verdicts"]["coverage"]
        print(f"{system:20}" + "".join(f"{cell:>16}" for cell in cells) + f"{coverage:>10.0%}")
    _print_differences(published, found, systems)


def _rank(means: dict[str, tuple[float, float, float]], system: str, at: int) -> int:
    return 1 + sum(other[at] > means[system][at] for other in means.values())


def _print_differences(published: dict[str, Any], found: dict[tuple[str, str], Any], systems: list[str]) -> None:
    """The documents on which our accuracy and the published one differ most."""
    rows = []
    for system in systems:
        for record in found[system, "verdicts"]["documents"]:
            theirs = published.get(record["document"], {}).get(system)
            if theirs is not None and record["accuracy"] is not None:
                rows.append((record["accuracy"] - theirs, record["document"], system, theirs, record["accuracy"]))
    rows.sort(key=lambda row: (-abs(row[0]), row[1:3]))
    equal = sum(abs(row[0]) < 0.005 for row in rows)
    print(f"\n{equal} of {len(rows)} scores are within 0.005 of the published one; the largest differences:")
    for difference, document, system, theirs, ours in rows[:12]:
        print(f"  {document:10} {system:18} published {theirs:.3f}, accuracy {ours:.3f} ({difference:+.3f})")


def goldleaf(*arguments: object) -> Any:
    """What a command of the program prints, as JSON."""
    import subprocess
    import sys

    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode > 1:
        raise SystemExit(ended.stderr)
    return json.loads(ended.stdout)
