"""Reports problems of a workload's Pods."""

from collections.abc import Iterator, Mapping
from typing import Any

from lab.standin.properties import Properties

Condition = Mapping[str, Any]


def complaints(pods: list[Properties], owner: Properties) -> list[str]:
    """One line for each Pod of the owner that is held up by more than waiting for its node."""
    mine = [pod for pod in pods if _is_owned(pod, owner)]
    return [line for pod in mine for line in _complaint(pod)]


def _is_owned(pod: Properties, owner: Properties) -> bool:
    uid = owner["metadata"].get("uid")
    return any(entry.get("uid") == uid for entry in pod["metadata"].get("ownerReferences") or [])


def _complaint(pod: Properties) -> Iterator[str]:
    """The first condition that does not hold says why; an unscheduled Pod is no problem yet."""
    status = pod.get("status") or {}
    conditions = {entry.get("type"): entry for entry in status.get("conditions") or []}
    if not _holds(conditions.get("PodScheduled")):
        return
    for name in ("Initialized", "Ready"):
        condition = conditions.get(name)
        if _holds(condition) or (name == "Ready" and status.get("phase") == "Succeeded"):
            continue
        if condition is not None:
            yield from _words(pod, condition, status.get("containerStatuses") or [])
        return


def _holds(condition: Condition | None) -> bool:
    return condition is not None and condition.get("status") == "True"


def _words(pod: Properties, condition: Condition, containers: list[Properties]) -> Iterator[str]:
    troubles = [line for container in containers for line in _container_troubles(container)]
    message = condition.get("message") or ""
    if troubles or message:
        metadata = pod["metadata"]
        said = message if condition.get("reason") else ""
        yield f"[Pod {metadata['namespace']}/{metadata['name']}]: {said}" + "\n".join(troubles)


def _container_troubles(container: Properties) -> Iterator[str]:
    if container.get("ready"):
        return
    state = container.get("state") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    if waiting and waiting.get("reason") != "ContainerCreating":
        yield f"[{waiting.get('reason', '')}] {waiting.get('message', '')}"
    if ended.get("reason") and ended.get("message"):
        yield f"[{ended['reason']}] {ended['message']}"
    elif ended.get("reason"):
        yield f'container "{container.get("name")}" completed with exit code {ended.get("exitCode", 0)}'
