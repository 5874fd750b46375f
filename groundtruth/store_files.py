"""Files written whole or not at all, content hashes, and locks that die with their process."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from groundtruth.errors import DatasetError

# mkstemp would give files that only their owner may read, whatever the umask says.
UNFINISHED: Final = ".goldleaf-"
"""What the name of a file that is being written begins with."""
_CHUNK: Final = 1 << 20


def content_hash(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def atomic_write(path: Path, data: bytes, *, scratch: Path | None = None) -> None:
    """Write a file so that every reader, at every moment, sees the old content or the new one, whole.

    Folders on the way are made. When it returns the bytes are on the disk.

    Args:
        path: the file.
        data: its whole content.
        scratch: an existing folder of the same file system for the unfinished file; without one, the file's own.

    Raises:
        DatasetError: the file cannot be written (rights, space, a folder in the way).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = scratch_path(scratch or path.parent)
        try:
            with unfinished.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror or error}") from error


def scratch_path(folder: Path) -> Path:
    """A path in ``folder`` that nothing has: hidden from every listing, and left behind only by a killed process."""
    return folder / f"{UNFINISHED}{os.getpid()}-{secrets.token_hex(8)}"


def copy_durably(source: Path, target: Path) -> str:
    """Copy a file's bytes to a new file, put them on the disk, and return their SHA-256.

    Raises:
        OSError: reading or writing failed.
    """
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("xb") as writer:
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            writer.write(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()


def sync_folder(folder: Path) -> None:
    """Put a folder's entries on the disk, so that a rename in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def file_lock(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[bool]:
    """Hold an advisory lock on ``path`` (``flock``) for the block; the file is made and stays.

    The kernel gives the lock back when the process ends, however it ends. It is not reentrant: taking it again inside
    the block waits for ever.

    Args:
        path: the lock file.
        shared: many may hold it so at once, and nobody exclusively meanwhile.
        wait: whether to wait for it; otherwise the block runs at once and gets False when it is taken.

    Yields:
        Whether the lock is held.

    Raises:
        DatasetError: the lock file cannot be made, or the file system knows no locks.
    """
    mode = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be made: {error.strerror}; a dataset is locked while it changes") from error
    try:
        yield _flock(descriptor, mode, path)
    finally:
        os.close(descriptor)


def _flock(descriptor: int, mode: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, mode)
    except BlockingIOError:
        return False
    except OSError as error:
        raise DatasetError(
            f"{path}: cannot be locked: {error.strerror}; keep the dataset on a file system with locks"
        ) from error
    return True
