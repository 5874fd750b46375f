"""Make the demo's documents and votes anew: ``python -m synth.demo datasets/demo``."""

from __future__ import annotations

import sys
from pathlib import Path

from synth.demo.ballots import vote_files
from synth.demo.documents import DRAWINGS, draw

if len(sys.argv) != 2:
    sys.exit(f"usage: python -m synth.demo FOLDER\n\n{__doc__}")
_folder = Path(sys.argv[1])
_files = {f"documents/{name}.{drawing.suffix}": draw(_folder, name).content for name, drawing in DRAWINGS.items()}
_files |= {f"votes/{name}": content for name, content in vote_files(_folder).items()}
for _name, _content in _files.items():
    (_folder / _name).parent.mkdir(parents=True, exist_ok=True)
    (_folder / _name).write_bytes(_content)
    sys.stdout.write(f"{_folder / _name}\n")
