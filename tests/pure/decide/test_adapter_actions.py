"""What a run would do about each adapter, and why."""

from collections.abc import Mapping

import pytest

from dittoinfra.decide.decision import Decision
from dittoinfra.decide.explanation import (
    Action,
    AdapterAction,
    adapter_actions,
    service_reasons,
    unconfigured_actions,
)
from dittoinfra.decide.guard import Guarded
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Missing, Outcome, RememberedAdapter, ServerMemory
from dittoinfra.object_model import HeldObject, ObjectPlace, PlannedObject
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import (
    NONSENSE,
    UNREACHABLE,
    answer,
    disabled,
    remembering,
    server,
    serving,
    stopped,
)

NFS = remembering(("nfs", 12049))
COUNTED = remembering(("nfs", 12049, 1))
NEVER = server(removal="never", absencePolls=2)
PINNED = server(adapters={"pinned": [{"type": "nfs", "port": 2049}]})


def foreseen(media: ServerSettings, memory: ServerMemory, heard: Outcome) -> list[tuple[str, str, str]]:
    decision = decide_server(media, memory, [heard])
    return [(o.type, str(o.action), o.why) for o in adapter_actions(media, memory, decision)]


@pytest.mark.parametrize(
    ("media", "memory", "heard", "action", "why"),
    [
        (server(), {}, answer(serving("nfs", 1)), "create", "served, not in the stack yet"),
        (server(), NFS, answer(serving("nfs", 12049)), "keep", "served"),
        (server(), NFS, answer(serving("nfs", 1)), "update", "served, moved from port 12049 to 1"),
        (server(), COUNTED, answer(serving("nfs", 12049)), "update", "served, absent 1/3 is cleared"),
        (
            server(),
            remembering(("nfs", None)),
            answer(serving("nfs", 1)),
            "update",
            "served, the state has lost its port, which is 1",
        ),
        (server(), NFS, answer(), "update", "missing from the answer, absent 1/3"),
        (server(), COUNTED, answer(stopped("nfs", 1)), "keep", "enabled but not running, kept"),
        (
            server(notRunning="remove"),
            COUNTED,
            answer(stopped("nfs", 1)),
            "update",
            "not running, absent 2/3",
        ),
        (
            server(namespace="b"),
            {"nfs": RememberedAdapter("nfs", 1, namespace="a")},
            answer(serving("nfs", 1)),
            "update",
            "served, replaced by a Service in namespace b, with another address",
        ),
        (server(), NFS, Missing("gone"), "update", "its server is not listed any more, absent 1/3"),
        (server(absencePolls=1), NFS, answer(), "remove", "absent 1/1"),
        (server(), NFS, answer(disabled("nfs", 1)), "remove", "disabled on the server"),
        (NEVER, NFS, answer(disabled("nfs", 1)), "keep", "disabled, kept because removal is never"),
        (
            NEVER,
            remembering(("nfs", 12049, 2)),
            answer(),
            "keep",
            "missing from the answer, absent 2/2, kept because removal is never",
        ),
        (server(), NFS, UNREACHABLE, "keep", "unreachable"),
        (server(), COUNTED, NONSENSE, "keep", "nonsense, absent 1/3 stays"),
        (server(), {}, answer(disabled("nfs", 1)), "nothing", "disabled"),
        (server(), {}, answer(stopped("nfs", 1)), "nothing", "enabled, but not running"),
        (
            server(),
            remembering(("nfs", None)),
            UNREACHABLE,
            "stop",
            "it must be kept, but the state has lost its port",
        ),
        (PINNED, {}, UNREACHABLE, "create", "pinned by the configuration, not in the stack yet"),
        (PINNED, NFS, answer(), "update", "pinned by the configuration, moved from port 12049 to 2049"),
    ],
)
def test_one_adapter(
    media: ServerSettings, memory: ServerMemory, heard: Outcome, action: str, why: str
) -> None:
    assert foreseen(media, memory, heard) == [("nfs", action, why)]


def test_adapters_come_in_the_order_of_their_types() -> None:
    heard = answer(serving("smb", 445), disabled("s3", 9000), serving("nfs", 12049))

    assert [name for name, _, _ in foreseen(server(), remembering(("webdav", 80)), heard)] == [
        "nfs",
        "s3",
        "smb",
        "webdav",
    ]


def test_a_server_that_left_the_configuration_leaves_with_its_adapters() -> None:
    (gone,) = unconfigured_actions(NFS)

    assert gone == AdapterAction(
        "nfs", Action.REMOVE, "its server is not configured any more", configured=True
    )


@pytest.mark.parametrize("memory", [{}, NFS], ids=["new", "remembered"])
@pytest.mark.parametrize(("media", "configured"), [(PINNED, True), (server(), False)])
def test_only_what_is_pinned_is_wanted_whatever_the_server_says(
    media: ServerSettings, configured: bool, memory: ServerMemory
) -> None:
    (nfs,) = adapter_actions(media, memory, decide_server(media, memory, [answer(serving("nfs", 1))]))

    assert nfs.configured is configured


@pytest.mark.parametrize(
    ("action", "changes"),
    [(action, action in (Action.CREATE, Action.UPDATE, Action.REMOVE)) for action in Action],
)
def test_what_counts_as_a_change(action: Action, changes: bool) -> None:
    assert action.changes == changes


def reasons(
    media: ServerSettings,
    memory: ServerMemory,
    heard: Outcome,
    guarded: Guarded | None = None,
    **more: ServerMemory,
) -> Mapping[str, str]:
    held = {"media": memory, **more}
    decision = decide_stack([media], held, {"media": [heard]})
    return service_reasons(Decision(decision, known=(media,), guarded=guarded or Guarded()), held)


def test_every_service_that_changes_has_a_reason() -> None:
    heard = answer(serving("nfs", 2049), disabled("smb", 1), serving("s3", 9000))
    memory = remembering(("nfs", 12049), ("smb", 1), ("s3", 9000))

    assert reasons(server(), memory, heard, attic=NFS) == {
        "media/nfs": "served, moved from port 12049 to 2049",
        "media/s3": "served, the configuration changed",
        "media/smb": "disabled on the server",
        "attic/nfs": "its server is not configured any more",
    }


def test_a_service_that_was_touched_in_the_cluster_says_so() -> None:
    heard, memory = answer(serving("nfs", 1), serving("smb", 2)), remembering(("nfs", 1), ("smb", 2))
    gone, edited, policy = (
        PlannedObject("media", HeldObject("v1", kind, name), ObjectPlace("v1", kind, "files", name))
        for kind, name in (("Service", "media/nfs"), ("Service", "media/smb"), ("NetworkPolicy", "media/nfs"))
    )

    found = reasons(server(), memory, heard, Guarded(gone=(gone,), edited=(edited, policy)))
    assert found == {
        "media/nfs": "served, deleted in the cluster",
        "media/smb": "served, edited in the cluster",
    }


def test_a_service_that_is_replaced_elsewhere_says_so() -> None:
    memory = {"nfs": RememberedAdapter("nfs", 1, namespace="a")}

    assert reasons(server(namespace="b"), memory, answer(serving("nfs", 1))) == {
        "media/nfs": "its server has another namespace or cluster"
    }
