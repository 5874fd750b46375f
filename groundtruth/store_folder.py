"""The folder under a dataset: paths that stay inside, whole writes, locks, and clearing up after killed processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from groundtruth import jsontext
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json
from groundtruth.store_files import atomic_write, file_lock, scratch_path, sync_folder

_OWN: Final = ".goldleaf"
_WRITERS: Final = "writers"

Model = TypeVar("Model", bound=BaseModel)


class Folder:
    """A folder that is read and written only through checked paths.

    ``.goldleaf/locks`` holds the lock files and ``.goldleaf/scratch`` what is being written or removed. Everybody who
    has something in scratch holds the writers' lock, shared; so whoever gets it exclusively knows that all of it was
    left behind by processes that were killed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real_root = root.resolve()
        self._scratch = root / _OWN / "scratch"

    def path(self, *parts: str) -> Path:
        """A path below the root; where symbolic links lead is checked, so that nothing outside is read or written.

        Raises:
            DatasetError: the path leaves the folder.
        """
        path = self.root.joinpath(*parts)
        try:
            inside = path.resolve().is_relative_to(self._real_root)
        except (OSError, RuntimeError, ValueError) as error:
            raise DatasetError(f"{str(path)!r}: cannot be followed: {error}; put the file itself there") from error
        if not inside:
            raise DatasetError(
                f"{path}: leads out of the dataset, to {path.resolve()}; put the file itself there, not a link"
            )
        return path

    def relative(self, path: Path) -> str:
        """How a path is shown to a person: below the root, with slashes."""
        return path.relative_to(self.root).as_posix()

    def entries(self, *parts: str) -> list[str]:
        """The names in a folder, in code point order; hidden ones are left out, an absent folder has none."""
        path = self.path(*parts)
        try:
            return sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DatasetError(f"{path}: cannot be listed: {error.strerror}") from error

    def read_bytes(self, path: Path) -> bytes:
        """Content of a file that ``path`` gave.

        Raises:
            DatasetError: it cannot be read.
        """
        try:
            return path.read_bytes()
        except OSError as error:
            raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error

    def read_json(self, path: Path) -> Json:
        """A JSON file of ours, strictly.

        Raises:
            DatasetError: it cannot be read.
            JsonError: it is not the JSON that we write.
        """
        return jsontext.loads(self.read_bytes(path), source=str(path))

    def read_model(self, path: Path, model: type[Model]) -> Model:
        """A JSON file of ours as the value it holds.

        Raises:
            DatasetError: it cannot be read, or lacks something, or holds something unknown; the message names the key.
            JsonError: it is not JSON.
        """
        text = self.read_bytes(path)
        jsontext.loads(text, source=str(path))
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            raise DatasetError(f"{path}: {where}: {first['msg']}; correct the file") from error

    def write(self, path: Path, data: bytes) -> None:
        """Write a file whole; a folder on the way is made.

        Raises:
            DatasetError: it cannot be written.
        """
        with self._writing():
            atomic_write(path, data, scratch=self._scratch)

    def write_json(self, path: Path, value: Json) -> None:
        """Write canonical JSON, one value a line.

        Raises:
            DatasetError: it cannot be written.
            JsonError: the value has no JSON form.
        """
        self.write(path, encoded(jsontext.dumps(value, indent=1) + "\n"))

    def append(self, path: Path, line: bytes) -> None:
        """Add to the end of a file; lines of several processes do not mix.

        Raises:
            DatasetError: it cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as stream:
                stream.write(line)
        except OSError as error:
            raise DatasetError(f"{path}: cannot be written: {error.strerror}") from error

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """An empty folder in scratch that is gone after the block, unless it was moved to its place."""
        with self._writing():
            staged = scratch_path(self._scratch)
            staged.mkdir()
            try:
                yield staged
            finally:
                shutil.rmtree(staged, ignore_errors=True)

    def move(self, staged: Path, target: Path) -> None:
        """Move what was staged to its place, in one step; what it holds is on the disk before.

        Raises:
            DatasetError: something else is there, or the place cannot be written.
        """
        try:
            target.parent.mkdir(exist_ok=True)
            if staged.is_dir():
                sync_folder(staged)
            staged.rename(target)
            sync_folder(target.parent)
        except OSError as error:
            raise DatasetError(f"{target}: cannot be made: {error.strerror}; move what is in the way") from error

    def discard(self, paths: Iterable[Path]) -> None:
        """Remove files and folders; each is gone in one step, whatever interrupts, and links are not followed.

        Raises:
            DatasetError: one cannot be removed.
        """
        with self.staging() as bin_:
            for number, path in enumerate(paths):
                try:
                    path.rename(bin_ / str(number))
                    sync_folder(path.parent)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    raise DatasetError(f"{path}: cannot be removed: {error.strerror}") from error

    @contextmanager
    def lock(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the dataset's lock ``name``; see ``store_files.file_lock``."""
        with file_lock(self.path(_OWN, "locks", f"{name}.lock"), wait=wait) as held:
            yield held

    def sweep(self) -> int:
        """Remove what killed processes left unfinished; return how many pieces. Does nothing while somebody writes."""
        if not self._scratch.is_dir():
            return 0
        with file_lock(self._writers_lock(), wait=False) as alone:
            left = sorted(self.path(_OWN, "scratch").iterdir()) if alone else []
            for path in left:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
        return len(left)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with file_lock(self._writers_lock(), shared=True):
            try:
                self.path(_OWN, "scratch").mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise DatasetError(f"{self._scratch}: cannot be made: {error.strerror}") from error
            yield

    def _writers_lock(self) -> Path:
        return self.path(_OWN, "locks", f"{_WRITERS}.lock")


def encoded(text: str) -> bytes:
    """Text as UTF-8.

    Raises:
        DatasetError: the text holds half of a surrogate pair, which no encoding has.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise DatasetError(f"text with half a surrogate pair at character {error.start} cannot be stored") from error
