"""The rules of who may import whom, and of names that must not hide others."""

from __future__ import annotations

import ast
import importlib.metadata
import sys
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

from builders import REPOSITORY

STEPS = ("extractors", "consensus", "annotation", "synth", "degrade", "scoring")
MAY_IMPORT: Mapping[str, Collection[str]] = {
    "groundtruth": (),
    **dict.fromkeys(STEPS, ("groundtruth",)),
    "flows": ("groundtruth", *STEPS),
}
ONLY_IMPORTED_BY: Mapping[str, Collection[str]] = {
    "pymupdf": ("groundtruth/pages.py", "groundtruth/page_*.py", "groundtruth/_mupdf.py"),
    "fitz": (),
    "label_studio_sdk": ("annotation/client.py",),
    "augraphy": ("degrade/effects.py",),
    "prefect": ("flows/*.py",),
    "prefect_dask": ("flows/*.py",),
}
NOT_FOR_PACKAGES = ("tests", "bench", "datasets", "builders")


class Import(NamedTuple):
    """One import of a file: the line, and the dotted name of what is imported."""

    line: int
    module: str


def imports_of(source: str) -> Iterator[Import]:
    """Yield every import in the source, also those inside functions and those by a literal name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.lineno, "." * node.level + (node.module or ""))
        elif isinstance(node, ast.Call) and (name := imported_by_call(node)):
            yield Import(node.lineno, name)


def imported_by_call(call: ast.Call) -> str | None:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    if function not in {"import_module", "__import__"} or not call.args:
        return None
    argument = call.args[0]
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def import_faults(file: str, source: str) -> list[str]:
    """Say each import of a package's file that breaks a rule; `file` is relative to the repository."""
    package = file.split("/", maxsplit=1)[0]
    faults = []
    for line, module in imports_of(source):
        top = module.split(".")[0]
        if not top:
            faults.append(f"{file}:{line} imports {module} relatively; name it from its package")
        elif top in NOT_FOR_PACKAGES:
            faults.append(f"{file}:{line} imports {module}, which is not shipped")
        elif top in MAY_IMPORT and top != package and top not in MAY_IMPORT[package]:
            faults.append(f"{file}:{line} imports {module}; {package} may import {MAY_IMPORT[package]} of ours")
        elif top in ONLY_IMPORTED_BY and not any(fnmatch(file, only) for only in ONLY_IMPORTED_BY[top]):
            faults.append(f"{file}:{line} imports {module}; only {ONLY_IMPORTED_BY[top]} may")
    return faults


def modules_in(folder: Path) -> set[str]:
    """Return the names by which Python could import something from the folder, put first on its path."""
    files = {file.stem for file in folder.glob("*.py")} - {"__init__", "__main__"}
    return files | {file.parent.name for file in folder.glob("*/__init__.py")}


def installed_modules() -> dict[str, list[str]]:
    """Return the top-level modules of the other distributions installed here, with who brings them."""
    found = {
        module: [name for name in names if name.lower() != "goldleaf"]
        for module, names in importlib.metadata.packages_distributions().items()
    }
    return {module: names for module, names in found.items() if names}


def package_files() -> list[str]:
    files = (file for package in MAY_IMPORT for file in (REPOSITORY / package).rglob("*.py"))
    return sorted(file.relative_to(REPOSITORY).as_posix() for file in files)


def test_every_package_imports_only_what_its_layer_may() -> None:
    files = package_files()
    assert {file.split("/")[0] for file in files} == set(MAY_IMPORT)
    faults = [fault for file in files for fault in import_faults(file, (REPOSITORY / file).read_text("utf-8"))]
    assert faults == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        pytest.param("groundtruth/value.py", "import consensus", id="model imports a step"),
        pytest.param("groundtruth/value.py", "from flows.cli import main", id="model imports the flows"),
        pytest.param("consensus/rows.py", "from scoring import pairs", id="step imports its sibling"),
        pytest.param("scoring/pairs.py", "from flows.cli import main", id="step imports the flows"),
        pytest.param("synth/render.py", "def f():\n    import degrade.recipe", id="inside a function"),
        pytest.param("synth/render.py", "import importlib\nimportlib.import_module('degrade')", id="by its name"),
        pytest.param("synth/render.py", "__import__('degrade')", id="by the builtin"),
        pytest.param("consensus/rows.py", "from .tally import tally", id="relative"),
        pytest.param("consensus/rows.py", "from . import tally", id="relative to the package"),
        pytest.param("extractors/text.py", "import pymupdf", id="pymupdf outside pages"),
        pytest.param("groundtruth/store.py", "import pymupdf", id="pymupdf elsewhere in the model"),
        pytest.param("groundtruth/pages.py", "import fitz", id="pymupdf by its old name"),
        pytest.param("annotation/tasks.py", "from label_studio_sdk import X", id="labelling outside client"),
        pytest.param("degrade/recipe.py", "import augraphy", id="augraphy outside effects"),
        pytest.param("extractors/text.py", "from prefect import task", id="prefect outside flows"),
        pytest.param("extractors/text.py", "import prefect_dask", id="dask runner outside flows"),
        pytest.param("flows/curate.py", "from bench import speed", id="package imports the benches"),
        pytest.param("flows/curate.py", "import builders", id="package imports the tests"),
    ],
)
def test_a_forbidden_import_is_found(file: str, source: str) -> None:
    (fault,) = import_faults(file, source)
    assert fault.startswith(f"{file}:")


@pytest.mark.parametrize(
    ("file", "source"),
    [
        pytest.param("consensus/rows.py", "from groundtruth.path import Path", id="step imports the model"),
        pytest.param("consensus/rows.py", "from consensus.tally import tally", id="package imports itself"),
        pytest.param("flows/curate.py", "import prefect, consensus, groundtruth.store", id="flows import all"),
        pytest.param("groundtruth/pages.py", "import pymupdf", id="pages import pymupdf"),
        pytest.param("annotation/client.py", "import label_studio_sdk", id="client imports labelling"),
        pytest.param("degrade/effects.py", "import augraphy", id="effects import augraphy"),
        pytest.param("scoring/pairs.py", "import scipy.sparse\nfrom collections import abc", id="libraries"),
        pytest.param("scoring/pairs.py", "print('import flows')", id="an import in a text"),
    ],
)
def test_an_allowed_import_is_no_fault(file: str, source: str) -> None:
    assert import_faults(file, source) == []


def test_no_module_of_the_flows_hides_another() -> None:
    # Prefect puts the folder of a flow's file first on the import path: flows/queue.py would be `import queue`.
    others = {*MAY_IMPORT, *sys.stdlib_module_names, *installed_modules()}
    assert modules_in(REPOSITORY / "flows") & others == set()


def test_no_installed_distribution_brings_a_package_of_our_name() -> None:
    assert {name: who for name, who in installed_modules().items() if name in MAY_IMPORT} == {}


def test_modules_in_finds_files_and_packages(tmp_path: Path) -> None:
    for name in ("__init__.py", "__main__.py", "queue.py", "scoring/__init__.py", "notes/readme.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    assert modules_in(tmp_path) == {"queue", "scoring"}


def python_in_data(repository: Path) -> list[str]:
    """Return the Python files that would make a package of a folder that must not be one."""
    found = [*(repository / "datasets").rglob("*.py"), *(repository / "tests").rglob("__init__.py")]
    return sorted(file.relative_to(repository).as_posix() for file in found)


def test_data_and_tests_are_no_packages() -> None:
    assert python_in_data(REPOSITORY) == []


def test_a_package_among_data_or_tests_is_found(tmp_path: Path) -> None:
    planted = ["datasets/__init__.py", "datasets/demo/make.py", "tests/consensus/__init__.py"]
    for name in [*planted, "tests/test_x.py", "datasets/demo/a.json"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert python_in_data(tmp_path) == planted
