"""The engine's steps as what becomes of Kubernetes objects. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dittoinfra.automation import Step, whole_steps
from dittoinfra.naming import ADAPTER_SERVICE_TYPE, parse_adapter_resource
from dittoinfra.reports.view import Change, Counts, ObjectView, PropertyChange

GRAVITY = (Change.DELETE, Change.REPLACE, Change.CREATE, Change.UPDATE, Change.SAME)
"""What a reader should hear of first."""

_CHANGES: Mapping[str, Change] = {
    "create": Change.CREATE,
    "import": Change.UPDATE,
    "update": Change.UPDATE,
    "delete": Change.DELETE,
}
"""Every other operation of the engine is a replacement."""


@dataclass(frozen=True, slots=True)
class Changed:
    """An object that is not left as it was, and whose it is."""

    view: ObjectView
    server: str | None
    adapter: str | None
    main: bool
    """Whether it is the Service that an adapter is known by, and not another object of it."""


def changed_objects(steps: Iterable[Step], *, planned: bool) -> tuple[Changed, ...]:
    """Every Kubernetes object among the steps; several steps on one object are one change.

    Of a run that was to do something, only what it did or tried counts: it may have ended before the rest.
    """
    by_urn: dict[str, list[Step]] = {}
    for step in whole_steps(steps):
        if step.object is not None and (planned or step.done or step.failed):
            by_urn.setdefault(step.urn, []).append(step)
    found = [_changed(parts) for parts in by_urn.values()]
    return tuple(sorted(found, key=lambda each: order(each.view)))


def order(view: ObjectView) -> tuple[int, str, str]:
    """Removals first, then by what it is."""
    return GRAVITY.index(view.change), view.kind, view.name


def gravest(changes: Iterable[Change]) -> Change:
    """What a reader should hear of first."""
    return min(changes, key=GRAVITY.index, default=Change.SAME)


def count(views: Sequence[ObjectView]) -> Counts:
    """Objects by what becomes of them, less those that the engine could not bring to it."""
    changes = [view.change for view in views if not view.failed]
    return Counts(
        creates=changes.count(Change.CREATE),
        updates=changes.count(Change.UPDATE),
        replaces=changes.count(Change.REPLACE),
        deletes=changes.count(Change.DELETE),
    )


def _change(changes: Sequence[Change]) -> Change:
    """What several steps come to: an object that is created and then updated is new to everybody."""
    if Change.REPLACE in changes:
        return Change.REPLACE
    return Change.CREATE if changes[0] is Change.CREATE and changes[-1] is Change.UPDATE else changes[-1]


def _changed(parts: Sequence[Step]) -> Changed:
    step = parts[0]
    about = step.object
    assert about is not None  # noqa: S101 - only steps with an object come here
    *_, types, name = step.urn.split("::", 3)
    of_adapter = f"{ADAPTER_SERVICE_TYPE}$" in types
    adapter = parse_adapter_resource(name.removeprefix("udp:")) if of_adapter else None
    return Changed(
        ObjectView(
            kind=about.kind,
            name=about.name,
            namespace=about.namespace,
            change=_change([_CHANGES.get(each.operation, Change.REPLACE) for each in parts]),
            failed=any(each.failed for each in parts),
            properties=tuple(
                PropertyChange(path=each.path, before=each.before, after=each.after)
                for each in next((s.differences for s in parts if s.differences), ())
            ),
        ),
        server=step.server,
        adapter=adapter[1] if adapter else None,
        main=adapter is not None and about.kind == "Service" and not name.startswith("udp:"),
    )
