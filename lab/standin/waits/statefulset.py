"""When a StatefulSet is ready: its controller has seen it, and as many Pods as it asks for are."""

from lab.standin.properties import Properties
from lab.standin.requests import Requests
from lab.standin.target import ObjectKey
from lab.standin.waits.pods import complaints


class StatefulSetWatch:
    """What is known of one StatefulSet while it is waited for."""

    def __init__(self, requests: Requests, key: ObjectKey, live: Properties) -> None:
        self._requests = requests
        self._key = key
        self._generation = _number(live, "metadata", "generation")
        self.live = live
        self._replicas_ready = self._revision_ready = False
        self._have = self._want = 0
        self._revisions = ("", "")

    def look(self, now: float) -> bool:  # noqa: ARG002  (ready is ready, at whatever time)
        """Whether the StatefulSet is ready now."""
        return self.look_once()

    def look_once(self) -> bool:
        """Whether the StatefulSet is ready."""
        self._replicas_ready = self._revision_ready = False
        live = self._requests.find(self._key)
        if live is not None and _number(live, "metadata", "generation") >= self._generation:
            self.live = live
            self._judge(live)
        return self._replicas_ready and self._revision_ready

    def is_good_enough(self) -> bool:
        """The end of the time is a failure, whatever was reached by then."""
        return False

    def reasons(self) -> list[str]:
        """What is missing, and what the Pods say about it."""
        missing = []
        if not self._replicas_ready:
            missing.append(f"{self._have} out of {self._want} replicas succeeded readiness checks")
        if not self._revision_ready:
            old, new = self._revisions
            missing.append(
                f'StatefulSet controller failed to advance from revision "{old}" to revision "{new}"'
            )
        return missing + complaints(self._requests.all("v1", "Pod", self._key.namespace), self.live)

    def _judge(self, live: Properties) -> None:
        status = live.get("status") or {}
        generation = _number(live, "metadata", "generation")
        # Until its controller has seen the last change, the status speaks of the one before.
        if "observedGeneration" not in status or status["observedGeneration"] < generation:
            return
        self._want = _number(live, "spec", "replicas")
        there, ready, current, updated = (
            status.get(name, 0)
            for name in ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas")
        )
        self._revisions = status.get("currentRevision", ""), status.get("updateRevision", "")
        strategy = ((live.get("spec") or {}).get("updateStrategy") or {}).get("type")
        if generation > 1 and strategy == "OnDelete":
            self._revision_ready = True
            self._replicas_ready = self._want == there == ready
        else:
            self._revision_ready = bool(self._revisions[0]) and self._revisions[0] == self._revisions[1]
            self._replicas_ready = self._want == there == ready == current
        # While it rolls out, Pods of the revision before are ready too, and do not count.
        self._have = ready if self._revision_ready else min(ready, updated)


def _number(live: Properties, section: str, name: str) -> int:
    return int((live.get(section) or {}).get(name) or 0)
