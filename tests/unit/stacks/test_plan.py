"""A plan and what has moved since, and its file."""

from dataclasses import replace
from pathlib import Path

import pytest

from dittoinfra.decide.custom_kinds import (
    CERTIFICATE,
    HTTP_ROUTE,
    SERVICE_MONITOR,
    Unasked,
)
from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Denied,
    Located,
    Nonsense,
    Reason,
    Removal,
    ReportedAdapter,
    ServerDecision,
    StackDecision,
    State,
    Unreachable,
)
from dittoinfra.program.answer_fingerprints import differences
from dittoinfra.program.plan import (
    Plan,
    PlannedChange,
    StackPlan,
    decided,
    other_changes,
    other_decision,
)
from dittoinfra.program.plan_file import PlanUnreadableError, read_plan, write_plan

NFS = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server$kubernetes:core/v1:Service::media/nfs"
SMB = NFS.replace("nfs", "smb")
GIVEN_FOR = Fingerprints(
    configuration={"dittoinfra:servers": "bb"},
    memory={"media": "in namespace files", "media/nfs": "on port 12049, absent 1 times"},
    resources={NFS: "aa"},
    salt=bytes(16),
)
ANSWERS = Answers(
    given_for=GIVEN_FOR,
    polls={
        "media": (
            Answered((ReportedAdapter("nfs", 12049, enabled=True, running=True),)),
            Unreachable("refused"),
            Denied("401"),
            Nonsense("not JSON"),
        )
    },
    facts=ClusterFacts(
        {SERVICE_MONITOR: True, CERTIFICATE: False, HTTP_ROUTE: Unasked("no cluster")},
        {"files": True, "other": False},
        {"files": {"media-adapter-nfs": Located(("192.0.2.1",), ("nfs.example.com",))}},
    ),
)
STACK = StackPlan(
    answers=ANSWERS,
    decided={"media": {"": "answered", "nfs": "12049 serving 0"}},
    changes=(PlannedChange(NFS, "update", ("spec.ports[0].port",)),),
)
PLAN = Plan("1.2.3", "dittoinfra", {"prod": STACK}, targets=("**nfs",))


def test_a_plan_comes_back_from_its_file_as_it_went_in(tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path / "a.plan")

    assert read_plan(tmp_path / "a.plan") == PLAN
    assert [path.name for path in tmp_path.iterdir()] == ["a.plan"]


def test_a_number_in_the_place_of_a_name_is_a_damaged_plan(tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path / "a.plan")
    text = (tmp_path / "a.plan").read_text()
    (tmp_path / "a.plan").write_text(text.replace('"outcome": "denied"', '"outcome": "perhaps"'))

    with pytest.raises(PlanUnreadableError, match=r"damaged plan: stacks\.prod\.answers\.polls\.media"):
        read_plan(tmp_path / "a.plan")


def test_nothing_has_moved() -> None:
    assert differences(GIVEN_FOR, GIVEN_FOR) == ()
    assert other_decision(STACK, STACK.decided) == ()
    assert other_changes(STACK, STACK.changes) == ()


def test_everything_that_has_moved_is_named() -> None:
    now = Fingerprints(
        {"kubernetes:context": "ee"},
        {"media/nfs": "on port 12049, absent 2 times", "media/smb": "on port 12445, absent 0 times"},
        {NFS: "cc", SMB: "dd"},
        bytes(16),
    )

    assert differences(GIVEN_FOR, now) == (
        "dittoinfra:servers of the configuration is gone",
        "kubernetes:context of the configuration is new",
        "media is gone in what the stack remembers",
        "media/nfs was on port 12049, absent 1 times, and is on port 12049, absent 2 times",
        "media/smb is new in what the stack remembers",
    )
    # Their resources have changed with them; others are named.
    api = NFS.replace("media/nfs", "media-api")
    assert differences(GIVEN_FOR, replace(now, resources={NFS: "cc", api: "dd"}))[-1] == (
        "Service media-api is new in the stack's state"
    )


def test_a_resource_that_another_run_has_changed_since_the_preview_is_a_difference() -> None:
    previewed = replace(GIVEN_FOR, salt=None)
    policy = NFS.replace("core/v1:Service", "networking.k8s.io/v1:NetworkPolicy")
    now = replace(previewed, resources={NFS: "cc", policy: "dd"})

    assert differences(previewed, now) == (
        "Service media/nfs has changed in the stack's state",
        "NetworkPolicy media/nfs is new in the stack's state",
    )
    assert differences(replace(previewed, resources={NFS: "aa", policy: "dd"}), previewed) == (
        "NetworkPolicy media/nfs is gone in the stack's state",
    )


def test_where_the_state_is_refreshed_only_a_new_resource_of_another_adapter_is_a_difference() -> None:
    refreshed = Answers(replace(GIVEN_FOR, salt=None)).inexact().given_for

    assert differences(refreshed, replace(refreshed, resources={NFS: "cc"})) == ()
    assert differences(refreshed, replace(refreshed, resources={})) == ()
    assert differences(refreshed, replace(refreshed, resources={NFS: "aa", SMB: "dd"})) == (
        "Service media/smb is new in the stack's state",
    )


def test_where_no_answer_depends_on_the_state_it_may_be_any() -> None:
    assert (
        differences(
            replace(GIVEN_FOR, memory=None, resources={}), replace(GIVEN_FOR, memory={}, resources={})
        )
        == ()
    )


def test_other_changes_are_named_one_by_one() -> None:
    many = PlannedChange(NFS, "update", ("a", "b", "c", "d"))

    assert other_changes(STACK, [many, PlannedChange(SMB, "create")]) == (
        "it would now update Service media/nfs (a, b, c and 1 more), which is not planned",
        "it would now create Service media/smb, which is not planned",
        "it would no longer update Service media/nfs (spec.ports[0].port), as planned",
    )


def test_a_decision_in_words() -> None:
    media = ServerDecision(
        "media",
        Unreachable("refused"),
        bootstrap=False,
        adapters=(DeclaredAdapter("nfs", 12049, State.KEPT, 1),),
        removals=(Removal("media", "smb", Reason.ABSENT),),
    )
    gone = Removal("old", "nfs", Reason.UNCONFIGURED)
    decision = StackDecision({"media": media}, 3, (*media.removals, gone), ())

    told = decided(decision)

    assert told == {
        "media": {"": "unreachable", "nfs": "12049 kept 1", "smb": "removed: absent"},
        "old": {"nfs": "removed: unconfigured"},
    }
    assert other_decision(replace(STACK, decided=told), {}) == (
        "media would be decided otherwise",
        "old would be decided otherwise",
    )
