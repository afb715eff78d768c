"""Waits for an object to be ready or deleted."""

from typing import Protocol

from lab.standin.annotations import SKIP_AWAIT, WAIT_FOR, annotation, is_true
from lab.standin.errors import UnfinishedError
from lab.standin.properties import Properties
from lab.standin.requests import Requests
from lab.standin.target import ObjectKey, Target
from lab.standin.terms import Terms
from lab.standin.waits.conditions import conditions
from lab.standin.waits.deadline import Deadline, InterruptedWaitError
from lab.standin.waits.service import ServiceWatch
from lab.standin.waits.statefulset import StatefulSetWatch

TIMED_OUT = "timed out waiting for the condition"
CANCELLED = "context canceled"

DELETED_UNWATCHED = frozenset(
    {
        ("v1", "Namespace"),
        ("v1", "Pod"),
        ("v1", "ReplicationController"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("batch/v1", "Job"),
    }
)
"""Kinds whose deletion is not waited for with skipAwait; that of every other kind is."""


class Watch(Protocol):
    """How readiness of one kind is determined."""

    live: Properties

    def look(self, now: float) -> bool:
        """Whether it is ready, during a wait."""
        ...

    def look_once(self) -> bool:
        """Whether it is ready, without a wait."""
        ...

    def is_good_enough(self) -> bool:
        """Whether the end of the timeout counts as ready."""
        ...

    def reasons(self) -> list[str]:
        """What is missing."""
        ...


def await_ready(requests: Requests, target: Target, live: Properties, terms: Terms) -> Properties:
    """The object once it is ready; kinds without a rule are ready at once."""
    if is_true(target.declared, SKIP_AWAIT):
        return live
    deadline = Deadline(terms.wait_seconds(target.declared), terms.interrupted)
    if wait_for := annotation(live, WAIT_FOR):
        return _await_conditions(requests, target.key, live, wait_for, deadline)
    watch = _watch(requests, target.key, live)
    return live if watch is None else _await_watch(watch, target.key, deadline)


def check_ready(requests: Requests, target: Target, live: Properties) -> None:
    """Refuse an object that a reading finds not ready; only its kind counts here, not `waitFor`."""
    watch = None if is_true(target.declared, SKIP_AWAIT) else _watch(requests, target.key, live)
    if watch is not None and not watch.look_once():
        name = target.key.name
        raise UnfinishedError(
            f"Resource '{name}' was created but failed to initialize", watch.live, watch.reasons()
        )


def await_gone(requests: Requests, target: Target, uid: str, terms: Terms) -> None:
    """Return once the object that was deleted is gone, even if another one has its name by then."""
    key = target.key
    if is_true(target.declared, SKIP_AWAIT) and (key.api_version, key.kind) in DELETED_UNWATCHED:
        return
    live, message = target.last, TIMED_OUT
    try:
        for _ in Deadline(terms.wait_seconds(target.declared), terms.interrupted).polls():
            found = requests.find(key)
            if found is None or uid not in ("", found["metadata"]["uid"]):
                return
            live = found
    except InterruptedWaitError:
        message = CANCELLED
    finalizers = ", ".join((live.get("metadata") or {}).get("finalizers") or [])
    terms.tell(f"finalizers might be preventing deletion ({finalizers})")
    raise UnfinishedError(message, live)


def _watch(requests: Requests, key: ObjectKey, live: Properties) -> Watch | None:
    match key.api_version, key.kind:
        case "v1", "Service":
            return ServiceWatch(requests, key, live)
        case "apps/v1", "StatefulSet":
            return StatefulSetWatch(requests, key, live)
        case _:
            return None


def _await_watch(watch: Watch, key: ObjectKey, deadline: Deadline) -> Properties:
    message = f"'{key.name}' timed out waiting to be Ready"
    try:
        for now in deadline.polls():
            if watch.look(now):
                return watch.live
    except InterruptedWaitError:
        message = f'Resource operation was cancelled for "{key.name}"'
    if watch.is_good_enough():
        return watch.live
    raise UnfinishedError(message, watch.live, watch.reasons())


def _await_conditions(
    requests: Requests, key: ObjectKey, live: Properties, text: str, deadline: Deadline
) -> Properties:
    wanted, message = conditions(text), TIMED_OUT
    try:
        for _ in deadline.polls():
            live = requests.find(key) or live
            if all(condition(live) for condition in wanted):
                return live
    except InterruptedWaitError:
        message = CANCELLED
    raise UnfinishedError(message, live)
