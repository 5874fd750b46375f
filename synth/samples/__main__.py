"""Write sample documents: ``python -m synth.samples FOLDER [--seed N] [--count N] [--kinds A,B]``.

For each sample: NAME.pdf, NAME.clean-scan.pdf, NAME.mild-scan.pdf, NAME.schema.json, NAME.rules.json and
NAME.values.json, the truth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from groundtruth import jsontext
from synth.samples.capture import capture
from synth.samples.documents import KINDS, samples
from synth.samples.sample import Sample


def main(arguments: Sequence[str]) -> None:
    """Write them, and say what was written."""
    parser = argparse.ArgumentParser(prog="python -m synth.samples", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4, help="how many of each kind (default 4)")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}; default all")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for sample in samples(chosen.seed, kinds=chosen.kinds.split(","), count=chosen.count):
        for name, content in _files(sample, chosen.seed).items():
            (chosen.folder / name).write_bytes(content)
            sys.stdout.write(f"{chosen.folder / name}\n")


def _files(sample: Sample, seed: int) -> dict[str, bytes]:
    return {
        f"{sample.name}.pdf": sample.pdf,
        f"{sample.name}.clean-scan.pdf": capture(sample.pdf, seed=seed),
        f"{sample.name}.mild-scan.pdf": capture(sample.pdf, seed=seed, strength="mild"),
        f"{sample.name}.schema.json": _json(sample.schema),
        f"{sample.name}.rules.json": _json(sample.rules),
        f"{sample.name}.values.json": _json(sample.values),
    }


def _json(data: object) -> bytes:
    return jsontext.dumps(data, indent=1).encode() + b"\n"


if __name__ == "__main__":
    main(sys.argv[1:])
