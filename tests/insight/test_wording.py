"""What people read about a stack."""

import io
from typing import Any

import pytest
from rich.console import Console

from dittoinfra.insight.facts import Facts, NotTold
from dittoinfra.insight.show import show_adapters, show_status
from dittoinfra.insight.standing import stack_view
from dittoinfra.model import Outcome
from tests.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving, stopped
from tests.insight.make import AT, deployment, facts, record, report, service

ATTIC = server("attic")
MEDIA = server("media")
MEMORY = {
    "attic": remembering(("nfs", 12049)),
    "media": remembering(("nfs", 12049, 2), ("s3", 9000), ("smb", None)),
    "old": remembering(("nfs", 2049)),
}
HEARD: dict[str, Outcome] = {
    "attic": UNREACHABLE,
    "media": answer(stopped("nfs", 12049), disabled("s3", 9000), serving("smb", 445), serving("webdav", 80)),
}
STATE: dict[str, Any] = {
    **deployment(
        {"attic/nfs": service("attic-adapter-nfs", 2049, "192.0.2.1")},
        {
            "attic": {
                "conditions": [{"type": "APIReachable", "status": "False"}],
                "adapters": {"nfs": {"dns": {"hostname": "attic.example.com"}}},
            }
        },
    ),
    "pending_operations": [
        {
            "type": "creating",
            "resource": {"urn": "urn:pulumi:prod::dittoinfra::kubernetes:core/v1:Service::x"},
        }
    ],
}


def a_lot() -> Facts:
    """A stack in which much is going on."""
    return facts(
        record([ATTIC, MEDIA], MEMORY, HEARD),
        report(creates=2, updates=1, deletes=4),
        STATE,
        NotTold("no kubeconfig"),
    )


def printed(draw: Any, width: int = 200, terminal: bool | None = None) -> str:  # noqa: ANN401 - one of two functions
    """What is on the screen."""
    screen = io.StringIO()
    draw(Console(file=screen, width=width, force_terminal=terminal), [stack_view(a_lot())])
    return screen.getvalue()


def test_status_in_plain_lines() -> None:
    assert printed(show_status, width=40) == (
        f"prod: last update succeeded, {AT}; the next run would create 2, update 1, delete 4\n"
        "  SERVER  API REACHABLE     ADAPTERS READY  READY\n"
        "  attic   no (Unreachable)  no (NotServed)  no (Unreachable)\n"
        "  media   yes               yes             yes\n"
        "  old     not configured    not configured  not configured\n"
        "  interrupted while creating Service x: the next run makes sure of it\n"
        f"  attic: unreachable: connection refused; no usable answer either in the update of {AT}\n"
        "  media/nfs: remove: absent 3/3\n"
        "  media/s3: remove: disabled on the server\n"
        "  media/smb: update: served, the state has lost its port, which is 445\n"
        "  media/webdav: create: served, not in the stack yet\n"
        "  old/nfs: remove: its server is not configured any more\n"
    )


def test_adapters_in_plain_lines() -> None:
    lines = printed(show_adapters, width=40).splitlines()

    assert [" ".join(line.split()) for line in lines] == [
        "STACK SERVER ADAPTER API HELD NEXT WHY ENDPOINTS",
        "prod attic nfs no answer 12049 keep unreachable attic.example.com, 192.0.2.1:2049 (from the state), "
        "attic-adapter-nfs.files.svc:2049 (from the state)",
        "prod media nfs not running 12049, absent 2 remove absent 3/3 -",
        "prod media s3 disabled 9000 remove disabled on the server -",
        "prod media smb 445 port lost update served, the state has lost its port, which is 445 -",
        "prod media webdav 80 - create served, not in the stack yet -",
        "prod old nfs - 2049 remove its server is not configured any more -",
    ]
    assert not any(line != line.rstrip() for line in lines)


def test_a_terminal_has_colours_and_keeps_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("CI", raising=False)

    drawn = printed(show_status, terminal=True)

    assert "\x1b[" in drawn
    assert "no (Unreachable)" in drawn
    assert "attic-adapter-nfs.files.svc:2049" in printed(show_adapters, terminal=True, width=140)


@pytest.mark.parametrize("variable", ["NO_COLOR", "CI"])
def test_unless_somebody_wants_none(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")

    assert "\x1b[" not in printed(show_adapters, terminal=True)
    assert "\x1b[" not in printed(show_status, terminal=True)


def test_a_stack_that_was_never_updated_and_cannot_be() -> None:
    nothing = record([MEDIA], {}, {"media": UNREACHABLE})
    view = stack_view(facts(nothing, report(exit_code=4, errors=["no cluster"]), history=()))
    screen = io.StringIO()

    show_status(Console(file=screen), [view])

    said = screen.getvalue().splitlines()
    assert said[0] == "prod: never updated; the next run would stop"
    assert said[-2:] == [
        "  the next run would stop: no cluster",
        "  media: unreachable: connection refused",
    ]
