"""The flow ``long-lists``: documents of several patterns, seeds and difficulties, made into one dataset folder.

Deploy it by dotted path, ``flows.long_lists.long_lists``; its parameters are JSON. What it does lives in
``synth_documents``, which knows nothing of Prefect.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.states import Failed
from prefect.task_runners import ThreadPoolTaskRunner

from flows.cli_synth import LOOKED_AT
from flows.run_context import lent
from flows.synth_documents import make_and_register, open_or_create, prove, require_place
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.wording import counted
from synth.pattern import load_pattern, pattern_names

_AT_ONCE: Final = 8
"""Documents that wait for a process; the processes make them in turn."""
_MAKERS: Final[ContextVar[ProcessPoolExecutor]] = ContextVar("makers")


def _made(dataset: str, asked: dict[str, Json], proved_pages: int) -> dict[str, Json]:
    """One document, made and proved in a process of its own; ``error`` says why there is none."""
    name = f"{asked['pattern']}, seed {asked['seed']}, {asked['difficulty']}"
    try:
        added = make_and_register(Path(dataset), **asked)
        proof = prove(Dataset.open(Path(dataset)), added.document.id, pages=proved_pages)
    except GoldleafError as error:
        return {"asked": name, "error": str(error)}
    return {
        "asked": name,
        "document": added.document.id,
        "pages": added.document.pages,
        "is_new": added.is_new,
        "findings": [f"{one.check}: {one.message}" for one in proof.findings],
    }


@task(name="make", task_run_name="{asked[pattern]}-{asked[seed]}", cache_policy=NO_CACHE, persist_result=False)
def make_document(dataset: str, asked: dict[str, Json], proved_pages: int) -> dict[str, Json]:
    """What became of one document, as JSON."""
    return _MAKERS.get().submit(_made, dataset, asked, proved_pages).result()


@flow(name="long-lists", task_runner=ThreadPoolTaskRunner(max_workers=_AT_ONCE), persist_result=False)  # type: ignore[arg-type]
def long_lists(
    dataset: str,
    patterns: list[str] | None = None,
    seeds: list[int] | None = None,
    difficulties: list[str] | None = None,
    rows: int | None = None,
    locale: str = "en_US",
    workers: int | None = None,
    proved_pages: int = LOOKED_AT,
) -> Any:
    """Make one synthetic document of every pattern, seed and difficulty, and prove each.

    What is there already stays as it is, so a run that was stopped goes on.

    Args:
        dataset: the folder; made if it is not there.
        patterns: which kinds; all by default.
        seeds: one document for each; 0 by default.
        difficulties: as ``goldleaf synth make --difficulty`` takes them; ``clean`` by default.
        rows: how many records each has; by default those of its pattern.
        locale: of invented people and places.
        workers: how many processes make documents; one a core by default.
        proved_pages: on how many pages of each text and ink are looked at.

    Returns:
        The documents as JSON. When one could not be made, or is found wrong, the run's state is Failed and holds them.

    Raises:
        SynthesisError: there is no such pattern or difficulty.
        DatasetError: the folder cannot be a dataset.
    """
    chosen = [load_pattern(name) for name in patterns or pattern_names()]
    wanted: list[dict[str, Json]] = [
        {"pattern": one.name, "seed": seed, "difficulty": difficulty, "rows": rows, "locale": locale}
        for one in chosen
        for seed in seeds or [0]
        for difficulty in difficulties or ["clean"]
        if one.difficulty(difficulty) is not None
    ]
    require_place(Path(dataset))
    open_or_create(Path(dataset), locale)
    # The libraries that draw keep state of their own, so no process is forked from one that runs threads.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as makers, lent(_MAKERS, makers):
        running = [make_document.submit(dataset, asked, proved_pages) for asked in wanted]
        made = [future.result() for future in running]
    problems = [one for one in made if "error" in one or one["findings"]]
    if problems:
        first = problems[0].get("error") or problems[0]["findings"][0]
        return Failed(
            message=f"{counted(len(problems), 'finding')}: {problems[0]['asked']}: {first}", data={"documents": made}
        )
    return {"documents": made}
