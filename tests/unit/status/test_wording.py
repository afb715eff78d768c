"""What people read about a stack."""

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from dittoinfra.decide.refusals import NameTaken
from dittoinfra.model import Outcome
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.reports.stack_history import history_entry
from dittoinfra.reports.status.forecast import ObjectChange
from dittoinfra.reports.status.stack_status import ClusterUnknown, StackFacts, stack_view
from dittoinfra.reports.status.status_model import StackHistory
from dittoinfra.reports.status.terminal import show_adapters, show_history, show_status
from dittoinfra.settings import StackSettings
from dittoinfra.state.held_stack import HeldStack
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving, stopped
from tests.unit.status.make import AT, SUCCEEDED, deployment, endpoint_slice, facts, record, service

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


def a_lot() -> StackFacts:
    """A stack in which much is going on."""
    return facts(
        record([ATTIC, MEDIA], MEMORY, HEARD),
        {
            HeldObject("v1", "Service", str(number)): ObjectChange(operation)
            for number, operation in enumerate(("create",) * 2 + ("update",) + ("delete",) * 4)
        },
        STATE,
        ClusterUnknown("no kubeconfig"),
    )


def printed(draw: Any, width: int = 200, terminal: bool | None = None) -> str:  # noqa: ANN401 - one of two functions
    """What is on the screen."""
    screen = io.StringIO()
    draw(Console(file=screen, width=width, force_terminal=terminal), [stack_view(a_lot())])
    return screen.getvalue()


def test_status_in_plain_lines() -> None:
    assert printed(show_status, width=40) == (
        f"prod: last update succeeded, {AT}; the next run: 2 to create, 1 to update, 4 to delete\n"
        "  SERVER  VERSION  API REACHABLE     ADAPTERS READY   READY\n"
        "  attic   unknown  no (Unreachable)  no (NotServed)   no (Unreachable)\n"
        "  media   unknown  yes               no (NotRunning)  no (NotRunning)\n"
        "  old     -        not configured    not configured   not configured\n"
        "  ADAPTER       ADDRESS                            NODE PORT  READY\n"
        "  attic/nfs     attic.example.com, 192.0.2.1:2049  31000      unknown (ClusterUnknown)\n"
        "  media/nfs     -                                  -          no (ServiceMissing)\n"
        "  media/smb     -                                  -          no (ServiceMissing)\n"
        "  media/webdav  -                                  -          no (ServiceMissing)\n"
        "  attic/nfs: mount -t nfs -o vers=4.0,port=2049 192.0.2.1:/EXPORT /mnt\n"
        "  interrupted while creating Service x: the next run checks and completes it\n"
        f"  attic: unreachable: connection refused; no usable answer either in the update of {AT}\n"
        "  media/nfs: ServiceMissing: it has no Service\n"
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
        "node port 31000 (from the state), attic-adapter-nfs.files.svc:2049 (from the state)",
        "prod media nfs not running 12049, absent 2 keep enabled but not running, kept -",
        "prod media s3 disabled 9000 remove disabled on the server -",
        "prod media smb 445 port lost update served, the state has lost its port, which is 445 -",
        "prod media webdav 80 - create served, not in the stack yet -",
        "prod old nfs - 2049 remove its server is not configured any more -",
    ]
    assert not any(line != line.rstrip() for line in lines)


def test_a_terminal_has_colours_and_keeps_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)

    drawn = printed(show_status, terminal=True)

    assert "\x1b[" in drawn
    assert "no (Unreachable)" in drawn
    assert "attic-adapter-nfs.files.svc:2049" in printed(show_adapters, terminal=True, width=140)


def test_a_large_stack_fits_on_one_screen_with_its_trouble_first() -> None:
    names = [f"s{number:03}" for number in range(100)]
    served = answer(serving("nfs", 12049), serving("smb", 12445))
    heard: dict[str, Outcome] = {name: UNREACHABLE if name > "s049" else served for name in names}
    memory = {name: remembering(("nfs", 12049), ("smb", 12445)) for name in names}
    kinds = {"nfs": (2049, 12049), "smb": (445, 12445)}
    live = {
        ObjectPlace("v1", "Service", "files", f"{name}-adapter-{kind}"): service(
            f"{name}-adapter-{kind}", port, "192.0.2.1", target=target
        )
        for name in names
        for kind, (port, target) in kinds.items()
    }
    slices = [endpoint_slice(place.name, f"adapter-{place.name[-3:]}") for place in live]
    state = deployment({f"{place.name[:4]}/{place.name[-3:]}": live[place] for place in live})
    run = record([server(name) for name in names], memory, heard)
    view = stack_view(facts(run, state=state, live=live, slices=slices))
    screen = io.StringIO()

    show_status(Console(file=screen, width=200), [view])

    lines = [" ".join(line.split()) for line in screen.getvalue().splitlines()]
    assert len(lines) <= 50
    assert lines[2].startswith("s050 unknown no (Unreachable)")
    assert lines[11:14] == [
        lines[11],
        "and 90 more: `dittoinfra status prod --json`",
        "ADAPTER ADDRESS NODE PORT READY",
    ]
    assert "and 190 more: `dittoinfra adapters prod`" in lines
    assert sum(": mount -t" in line for line in lines) == 10
    assert not any("smbclient" in line for line in lines), "one command for each adapter"
    assert lines[-1] == "and 40 more: `dittoinfra status prod --json`"
    assert lines[-2].startswith("s059: unreachable")


def test_a_stack_that_was_never_updated_and_cannot_be() -> None:
    nothing = record([MEDIA], {}, {"media": UNREACHABLE})
    stopped = replace(nothing, decision=replace(nothing.decision, refusals=(NameTaken("x", "a/b", "c/d"),)))
    view = stack_view(facts(stopped, history=()))
    screen = io.StringIO()

    show_status(Console(file=screen), [view])

    said = screen.getvalue().splitlines()
    assert said[0] == "prod: never updated; the next run would stop"
    assert said[-2:] == [
        f"  the next run would stop: {NameTaken('x', 'a/b', 'c/d')}",
        "  media: unreachable: connection refused",
    ]


def test_a_stack_that_would_be_held_is_not_said_to_stop() -> None:
    refused = record([MEDIA], {}, {"media": UNREACHABLE})
    refused = replace(
        refused,
        decision=replace(refused.decision, refusals=(NameTaken("x", "a/b", "c/d"),)),
        settings=StackSettings.model_validate({"onRefusal": "hold"}),
        memory=replace(refused.memory, held=HeldStack({}, (), {})),
    )
    screen = io.StringIO()

    show_status(Console(file=screen), [stack_view(facts(refused, history=()))])

    said = screen.getvalue()
    assert "prod: never updated; the next run would change nothing (onRefusal: hold)" in said
    assert f"the next run would change nothing (onRefusal: hold): {NameTaken('x', 'a/b', 'c/d')}" in said
    assert "would stop" not in said


def test_the_history_of_a_run_without_reasons_counts_resources() -> None:
    plain = {**SUCCEEDED, "resourceChanges": {"create": 3, "same": 1}}
    screen = io.StringIO()

    show_history(
        Console(file=screen, width=200), [StackHistory(stack="prod", entries=(history_entry(plain),))], None
    )

    assert "update  resources: 3 created" in screen.getvalue()
