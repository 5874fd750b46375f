"""Sample documents with known values: forms, invoices and registers, invented from a seed, with schema and truth."""

from __future__ import annotations

from synth.samples.capture import capture
from synth.samples.documents import KINDS, samples
from synth.samples.sample import Sample

__all__ = ["KINDS", "Sample", "capture", "samples"]
