"""The flow ``recapture``: degraded twins of a dataset's documents, a task for each, whose pages are made in processes.

Deploy it by dotted path, ``flows.recapture_pages.recapture``; its parameters are JSON. What it does lives in
``recapture_make`` and ``recapture_work``, which know nothing of Prefect.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.states import Failed
from prefect.task_runners import ThreadPoolTaskRunner

from degrade.effects import VERSIONS
from degrade.recipe import Strength, load_recipe
from flows.extraction import dataset_at
from flows.recapture_make import Wanted, made_json, make_recapture, open_or_create, originals, truth_of
from flows.recapture_work import PAGES_PER_PROCESS, Making, Pages, page_makers
from flows.run_context import lent
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json

_AT_ONCE: Final = 8
"""Documents; the processes take their pages in turn, and a document holds no pages while it waits."""
_MAKERS: Final[ContextVar[Pages]] = ContextVar("makers")


@task(name="capture", task_run_name="{document}", cache_policy=NO_CACHE, persist_result=False)
def capture(
    dataset: str, document: str, recipe: str, out: str, strength: str, seed: int, pages_per_process: int
) -> dict[str, Json]:
    """One document: what ``made_json`` tells of its twin, or ``document`` and ``error``."""
    wanted = Wanted(dataset_at(dataset), dataset_at(out), load_recipe(recipe, VERSIONS), Strength(strength), seed)
    original = wanted.clean.document(document)
    making = Making(pages_per_process)
    try:
        made = make_recapture(wanted, original, truth_of(wanted.clean, original), _MAKERS.get(), making)
    except GoldleafError as error:
        return {"document": document, "error": str(error)}
    return made_json(wanted.out, made)


@flow(name="recapture", task_runner=ThreadPoolTaskRunner(max_workers=_AT_ONCE), persist_result=False)  # type: ignore[arg-type]
def recapture(
    dataset: str,
    recipe: str,
    out: str,
    strength: str = Strength.MEDIUM,
    seed: int = 0,
    documents: str = "*",
    workers: int | None = None,
    pages_per_process: int = PAGES_PER_PROCESS,
) -> Any:
    """Make a degraded twin of every document of one dataset folder.

    Args:
        dataset: the folder of the clean documents, which have their truths.
        recipe: its name, or its file.
        out: the folder of the re-captures; it may be the same.
        strength: mild, medium or strong.
        seed: another one draws other damage.
        documents: a pattern (``invoice-*``) that the ids must fit.
        workers: how many processes make pages; one a core by default.
        pages_per_process: how many pages a process makes at a time.

    Returns:
        The twins as JSON. When one could not be made, or has values that nobody can read, the run's state is Failed
        and holds them.
    """
    load_recipe(recipe, VERSIONS)
    found = originals(dataset_at(dataset), documents)
    open_or_create(Path(out))
    with page_makers(Making(pages_per_process, workers), here=False) as makers, lent(_MAKERS, makers):
        running = [capture.submit(dataset, one.id, recipe, out, strength, seed, pages_per_process) for one in found]
        made = [future.result() for future in running]
    problems = [one["document"] for one in made if "error" in one or one["for_a_person"]]
    if problems:
        return Failed(message=f"{len(problems)} findings: {problems[0]}", data={"documents": made})
    return {"documents": made}
