"""The stack's state before the run, which the engine does not show to policies: the CLI is asked for it."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from adapter_policy.removal_rules import held_services
from adapter_policy.service_object import AdapterService

_SECONDS = 120.0

Export = Callable[[str], Mapping[str, Any]]
"""Exports a stack by its full name."""


class UnreadableStateError(Exception):
    """The state cannot be read; the text says why."""


class HeldState:
    """The adapters' Services that the stack holds, read once and as early as the pack is asked anything.

    During an update the backend's copy changes as the update goes on.
    """

    def __init__(self, export: Export) -> None:
        self._export = export
        self._lock = Lock()
        self._held: tuple[AdapterService, ...] | UnreadableStateError | None = None

    def services(self, urn: str, organization: str) -> tuple[AdapterService, ...]:
        """Those of the stack that a URN belongs to; raises `UnreadableStateError`."""
        with self._lock:
            if self._held is None:
                self._held = self._read(urn, organization)
        if isinstance(self._held, UnreadableStateError):
            raise self._held
        return self._held

    def _read(self, urn: str, organization: str) -> tuple[AdapterService, ...] | UnreadableStateError:
        try:
            return held_services(self._export(full_stack_name(urn, organization)))
        except UnreadableStateError as error:
            return error


def full_stack_name(urn: str, organization: str) -> str:
    """`organization/project/stack`, which names a stack wherever the CLI is started."""
    stack, project, *_ = urn.removeprefix("urn:pulumi:").split("::")
    return f"{organization}/{project}/{stack}"


def export_stack(name: str) -> Mapping[str, Any]:
    """The state as the backend holds it, its secrets encrypted."""
    # The pack's own settings mean nothing to the CLI, and it would look for a project around the pack.
    environment = {key: value for key, value in os.environ.items() if key != "PULUMI_CONFIG"}
    with tempfile.TemporaryDirectory(prefix="dittofs-adapters-") as empty:
        command = ["pulumi", "stack", "export", "--non-interactive", "--stack", name]
        try:
            done = subprocess.run(  # noqa: S603 - the stack's name comes from the engine
                command,
                cwd=empty,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnreadableStateError(f"`pulumi stack export --stack {name}`: {error}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it does not say why"]
        raise UnreadableStateError(f"`pulumi stack export --stack {name}` says {lines[-1]!r}")
    try:
        document = json.loads(done.stdout)
    except ValueError as error:
        raise UnreadableStateError(f"`pulumi stack export --stack {name}` printed no JSON: {error}") from None
    deployment = document.get("deployment") if isinstance(document, dict) else None
    return deployment if isinstance(deployment, dict) else {}
