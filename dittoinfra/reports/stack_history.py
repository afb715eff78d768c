"""The history of a stack as its backend keeps it: what changed, when, why, and by which run. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from dittoinfra.changes import Change, Changes
from dittoinfra.nested_values import block, text
from dittoinfra.reports.result_model import HistoryEntry, RunSource
from dittoinfra.stacks.update_message import read_message


def history_entry(stored: Mapping[str, Any]) -> HistoryEntry:
    """One operation, from what `pulumi stack history --json` says of it; nothing of its configuration."""
    title, changes = read_message(text(stored, "message") or "")
    about = block(stored, "environment")
    counts = block(stored, "resourceChanges")
    counted = {change.value: int(counts.get(change, 0)) for change in Change}
    return HistoryEntry(
        version=stored.get("version") or None,
        kind=str(stored.get("kind")),
        result=str(stored.get("result")),
        started=str(stored.get("startTime") or ""),
        at=str(stored.get("endTime") or ""),
        title=title,
        changes=tuple(changes),
        resources=Changes(**counted),
        source=RunSource(
            commit=text(about, "git.head"),
            branch=text(about, "git.headName"),
            author=text(about, "git.author"),
            ci_url=text(about, "ci.build.url"),
        ),
    )


def notable(entries: Iterable[HistoryEntry], adapter: str | None = None) -> tuple[HistoryEntry, ...]:
    """Those that changed something or did not succeed; with an adapter (server/type), what they did to it."""
    if adapter is None:
        return tuple(each for each in entries if each.resources.any or each.result != "succeeded")
    about = (
        each.model_copy(update={"changes": tuple(c for c in each.changes if c.is_about(adapter))})
        for each in entries
    )
    return tuple(each for each in about if each.changes)
