"""Classes of a column whose texts may be misreadings of one another.

Two texts are near if they are equal, or one inserted, deleted or changed character apart, once letter case, spaces and
punctuation are dropped and characters that look alike (0/O, 1/I/l, 5/S, 8/B) are made one. Texts of fewer than four
such characters must be equal, because one character is too much of them; texts of more than a hundred are near to none.

Candidates are found by hashing every text with each of its characters left out, and every candidate is checked
exactly, so no pair is missed and none is found in error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from groundtruth.record_classes import IntArray, ranges

_LOOK_ALIKES = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8"})
_SHORTEST, _LONGEST = 4, 100
# Candidates that are checked at once.
_CHUNK = 500_000
_BASE = np.uint64(0x9E3779B97F4A7C15)

# The text of a positive code of a column.
Texts = Callable[[int, int], str]
Characters = npt.NDArray[np.uint32]


def look_alike(text: str) -> str:
    """The text with letter case dropped and characters that look alike made one."""
    return text.casefold().translate(_LOOK_ALIKES)


def near_pairs(texts: Sequence[str], wanted: IntArray) -> tuple[IntArray, IntArray]:
    """The wanted texts with every text that is near, itself excepted; positions, by rising (wanted, other)."""
    skeletons = [_skeleton(text) for text in texts]
    length = np.array([len(skeleton) for skeleton in skeletons], dtype=np.int64)
    width = max(1, int(length.max(initial=0)))
    characters = np.array(skeletons, dtype=f"<U{width}").view(np.uint32).reshape(len(skeletons), width)
    value, owner = _variants(characters, length)
    order = np.argsort(value, kind="stable")
    value, owner = value[order], owner[order]
    asked = np.isin(owner, wanted)
    start, stop = np.searchsorted(value, value[asked]), np.searchsorted(value, value[asked], side="right")
    found = [np.zeros(0, dtype=np.int64)]
    owners = owner[asked]
    cut = np.flatnonzero(np.diff(np.cumsum(stop - start) // _CHUNK)) + 1
    for part in np.split(np.arange(owners.size), cut):
        left = np.repeat(owners[part], stop[part] - start[part])
        right = owner[ranges(start[part], stop[part])]
        key = np.unique(left[left != right] * len(texts) + right[left != right])
        found.append(key[_within_one_edit(characters, length, *np.divmod(key, len(texts)))])
    left, right = np.divmod(np.unique(np.concatenate(found)), max(len(texts), 1))
    return left, right


def _skeleton(text: str) -> str:
    skeleton = "".join(filter(str.isalnum, look_alike(text)))
    return skeleton if len(skeleton) <= _LONGEST else ""


def _variants(characters: Characters, length: IntArray) -> tuple[npt.NDArray[np.uint64], IntArray]:
    """Hashes of every non-empty text, and of every long enough one with each character left out; and whose they are."""
    count, width = characters.shape
    inside = np.arange(width) < length[:, None]
    power = np.ones(width + 1, dtype=np.uint64)
    power[1:] = np.multiply.accumulate(np.full(width, _BASE))
    term = np.where(inside, characters.astype(np.uint64) * power[:width], np.uint64(0))
    before = np.zeros((count, width + 1), dtype=np.uint64)
    before[:, 1:] = np.add.accumulate(term, axis=1)
    whole = before[:, -1]
    # Leaving out character k shifts all later ones by one place: the odd base has an inverse modulo 2**64.
    inverse = np.uint64(pow(int(_BASE), -1, 2**64))
    without = before[:, :-1] + (whole[:, None] - before[:, 1:]) * inverse
    long_enough = inside & (length >= _SHORTEST)[:, None]
    owner = np.flatnonzero(length > 0)
    return (
        np.concatenate([whole[owner], without[long_enough]]),
        np.concatenate([owner, np.nonzero(long_enough)[0]]),
    )


def _within_one_edit(
    characters: Characters, length: IntArray, left: IntArray, right: IntArray
) -> npt.NDArray[np.bool_]:
    """Per pair of texts, whether one inserted, deleted or changed character makes them equal."""
    first, second = characters[left], characters[right]
    longest = np.maximum(length[left], length[right])
    shortest = np.minimum(length[left], length[right])
    prefix = _run(first == second, shortest)
    from_end = np.arange(characters.shape[1]) + 1
    first = np.take_along_axis(first, np.maximum(length[left, None] - from_end, 0), axis=1)
    second = np.take_along_axis(second, np.maximum(length[right, None] - from_end, 0), axis=1)
    suffix = _run(first == second, shortest)
    same = (prefix == shortest) & (length[left] == length[right])
    near = (longest - shortest <= 1) & (prefix + suffix >= longest - 1) & (shortest >= _SHORTEST)
    result: npt.NDArray[np.bool_] = same | near
    return result


def _run(equal: npt.NDArray[np.bool_], limit: IntArray) -> IntArray:
    """Per row, how many elements are true from the start, at most ``limit``."""
    stopped = ~equal
    first: IntArray = np.where(stopped.any(axis=1), stopped.argmax(axis=1), equal.shape[1])
    run: IntArray = np.minimum(first, limit)
    return run
