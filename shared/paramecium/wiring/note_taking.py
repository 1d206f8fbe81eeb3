"""The extract job's parts, put together for one life."""

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paramecium.jobs.extract_cursor import CursorKeeper
    from paramecium.jobs.extract_estimate import Estimate
    from paramecium.jobs.extract_parts import Extractor
    from paramecium.wiring.parts import Parts


def extractor(
    shared: "Parts", life: str, progress: "Callable[[int, int], None]", warn: "Callable[[str], None]"
) -> "Extractor":
    """Returns what notes of a life are taken with; raises NotConfigured, ModelMissing before anything is asked."""
    from paramecium.archive.conversations import Archive
    from paramecium.jobs.extract_parts import Extractor
    from paramecium.jobs.remember import Messages
    from paramecium.jobs.similar import Similar
    from paramecium.memories.keeping import keep_snapshot
    from paramecium.memories.ledger import Ledger
    from paramecium.memories.views import MemoryViews

    model, embedder, store = shared.small_model, shared.embedder, shared.job_store
    folder, ledger = shared.cache_folder / "jobs", Ledger(shared.job_store, life)
    views = MemoryViews(store, life, ledger, folder, warn)
    archive = Archive(store, life, now=shared.now)
    keeper = replace(shared.of(life).keeper(), text_of=Messages(archive).text_of)
    return Extractor(
        store,
        life,
        archive,
        ledger,
        model,
        shared.settings,
        state=lambda: views.view().state,
        similar=Similar(views.view, embedder),
        remember=lambda off_path: keep_snapshot(keeper, lambda _: off_path),
        progress=progress,
        now=shared.now,
    )


def estimate(shared: "Parts", life: str, conversations: "Iterable[str]") -> "Estimate":
    """Returns what notes of imported conversations would cost."""
    from paramecium.jobs.extract_estimate import estimate

    archive = shared.of(life).archive
    return estimate(archive, cursor_keeper(shared, life).read(), conversations, shared.settings)


def cursor_keeper(shared: "Parts", life: str) -> "CursorKeeper":
    """Returns what changes the job's cursor."""
    from paramecium.jobs.extract_cursor import CursorKeeper

    return CursorKeeper(shared.store, life, timezone=shared.settings.timezone, calls_per_day=0, now=shared.now)
