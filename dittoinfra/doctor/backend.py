"""Where the project's states are: whether it answers, which stacks it has, who holds a lock."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dittoinfra.automation import CliFailedError, CommandLine, Project
from dittoinfra.automation.locks import is_gone
from dittoinfra.doctor.line import Line, failed, ok
from dittoinfra.engine.errors import one_line

BACKEND = "backend"


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend that answered."""

    url: str
    stacks: frozenset[str]


def check_backend(project: Project) -> tuple[Line, Backend | None]:
    """The backend that the CLI would use here."""
    cli = CommandLine(project.command, project.root, project.environment)
    try:
        stacks = frozenset(project.known_stacks())
        url = str(json.loads(cli.ask("whoami", "--json")).get("url", ""))
    except CliFailedError as error:
        step = "check PULUMI_BACKEND_URL, or log in with `pulumi login`"
        return failed(BACKEND, str(error), step, exit_code=error.exit_code), None
    count = f"{len(stacks)} stack{'' if len(stacks) == 1 else 's'}"
    return ok(BACKEND, f"{one_line(url)} answers, and has {count} of this project"), Backend(url, stacks)


@dataclass(frozen=True, slots=True)
class Lock:
    """Who holds a stack."""

    holder: str
    gone: bool
    """Whether that process is known to have ended."""


def lock_of(url: str, stack: str) -> Lock | None:
    """Who holds a stack's lock, where that can be seen without trying to take it: in a folder."""
    address = urlsplit(url)
    if address.scheme != "file":
        return None
    locks = Path(unquote(address.path)) / ".pulumi" / "locks"
    for file in sorted(locks.glob(f"*/*/{stack}/*.json")):
        try:
            held: Any = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            # Given back while we looked, or not yet written to its end.
            continue
        return _lock(held if isinstance(held, Mapping) else {})
    return None


def _lock(held: Mapping[str, Any]) -> Lock:
    host, pid = held.get("hostname", "some machine"), held.get("pid", "unknown")
    who = f"{held.get('username', 'somebody')}@{host}"
    since = held.get("timestamp", "an unknown time")
    gone = isinstance(pid, int) and is_gone(str(host), pid)
    return Lock(f"{who} (pid {pid}) since {since}", gone)
