"""Runs by the Pulumi Kubernetes Operator: asked for on its `Stack` objects, and waited for.

A new value of one annotation makes the operator run a stack at once, also one that it has given up on. It
writes the value into the object's status with the result of that run.
"""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import httpx

from dittoinfra.exitcodes import ExitCode
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_client import POLL_TIMEOUT, api_path
from dittoinfra.kubernetes.cluster_errors import UnansweredError, denial, object_of
from dittoinfra.kubernetes.rbac import Rule
from dittoinfra.nested_values import block, text
from dittoinfra.stacks.result import RunReport

API_VERSION: Final = "pulumi.com/v1"
REQUEST: Final = "pulumi.com/reconciliation-request"
"""Annotation of a `Stack` object; the operator runs the stack when its value is another one."""

PAUSE_SECONDS: Final = 1.0
LONGEST_RUN_SECONDS: Final = 1500.0
"""After this long a run counts as failed: the operator may wait for a workspace that never gets ready."""

_UNHELPED: Final = frozenset({"SpecInvalid", "SourceUnavailable"})
"""Why a `Stack` may be stalled that no further run would help."""


@dataclass(frozen=True, slots=True)
class StackObjects:
    """Which `Stack` objects of the operator belong to the watched stacks."""

    namespace: str
    name: str | None = None
    """None where each object has the name of its stack."""

    def of(self, stack: str) -> tuple[str, str]:
        """Namespace and name of a stack's object."""
        return self.namespace, self.name or stack


@dataclass(frozen=True, slots=True)
class OperatorRuns:
    """Asks for runs in the cluster that the environment leads to."""

    objects: StackObjects
    cluster: Cluster = field(default_factory=lambda: Cluster(timeout=POLL_TIMEOUT))

    def place(self, stack: str) -> str:
        """The object of a stack, as messages name it."""
        return "Stack " + "/".join(self.objects.of(stack))

    def run(self, stack: str, stop: threading.Event) -> RunReport | None:
        """The end of a run that is asked for now; None where `stop` is set before it."""
        namespace, name = self.objects.of(stack)
        place = self.place(stack)
        try:
            before = text(block(self._get(namespace, name), "status", "lastUpdate"), "name")
            self._ask(namespace, name)
            deadline = time.monotonic() + LONGEST_RUN_SECONDS
            while not stop.wait(PAUSE_SECONDS):
                try:
                    found = self._get(namespace, name)
                except UnansweredError:
                    found = {}
                if (report := _finished(place, found, before)) is not None:
                    return report
                if time.monotonic() > deadline:
                    return _failed(f"{place} was asked for a run and has not finished it{_waiting(found)}")
        except ClusterError as error:
            return _failed(f"{place} cannot be asked for a run: {error}")
        return None

    def has_given_up(self, stack: str) -> bool:
        """Whether the operator has stopped running a stack for failed updates, as far as that can be read."""
        try:
            found = self._get(*self.objects.of(stack))
        except ClusterError:
            return False
        failed = text(block(found, "status", "lastUpdate"), "state") == "failed"
        stalled = (this.get("reason") for this in _conditions(found, "Stalled"))
        return failed and any(reason not in _UNHELPED for reason in stalled)

    def _get(self, namespace: str, name: str) -> dict[str, Any]:
        return self._object(namespace, name, "get")

    def _ask(self, namespace: str, name: str) -> None:
        self._object(
            namespace, name, "patch", {"metadata": {"annotations": {REQUEST: f"dittoinfra-{uuid4()}"}}}
        )

    def _object(
        self, namespace: str, name: str, verb: str, merged: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        path = api_path(API_VERSION, "stacks", namespace, name)
        response = self.cluster.request(
            verb.upper(),
            path,
            # Not by server-side apply, which would create an object that is not there.
            headers={"Content-Type": "application/merge-patch+json"} if merged else None,
            content=json.dumps(merged).encode() if merged else None,
        )
        if response.status_code == httpx.codes.NOT_FOUND:
            raise ClusterError("it does not exist", "check --operator, and that the operator is installed")
        if response.is_error:
            needed = Rule(verb, "stacks", name, "pulumi.com")
            raise denial(self.cluster.server, response, path, needed, namespace)
        return object_of(response)


def _finished(place: str, found: dict[str, Any], before: str | None) -> RunReport | None:
    """The result of the run that the object's present annotation asks for; None while there is none."""
    last = block(found, "status", "lastUpdate")
    asked = text(block(found, "metadata", "annotations"), REQUEST)
    # Another request may have come after this one: the run for that one has seen everything, too. Without
    # any annotation only the name of the update tells a new run.
    if text(last, "reconcileRequest") != asked or text(last, "name") == before:
        return None
    match text(last, "state"):
        case "succeeded":
            return RunReport.completed()
        case "failed":
            return _failed(
                f"the operator's run of {place} failed: {text(last, 'message') or 'no reason given'}"
            )
        case _:
            return None


def _failed(why: str) -> RunReport:
    return RunReport.failed(why, ExitCode.GENERIC)


def _waiting(found: dict[str, Any]) -> str:
    """What the operator itself says that it waits for."""
    said = [
        f"{this.get('reason')}: {this.get('message')}"
        for this in _conditions(found, "Stalled", "Reconciling")
    ]
    return f" ({'; '.join(said)})" if said else ""


def _conditions(found: dict[str, Any], *types: str) -> Iterator[Mapping[str, Any]]:
    """The conditions of these types that hold."""
    for this in block(found, "status").get("conditions") or ():
        if this.get("type") in types and this.get("status") == "True":
            yield this
