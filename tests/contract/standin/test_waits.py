"""What is waited for: conditions that a program writes down, and what the Pods of a workload say."""

import re
from typing import Any

import pytest

from lab.standin.errors import RefusedError
from lab.standin.terms import DEFAULT_TIMEOUT_SECONDS, Terms
from lab.standin.waits.conditions import conditions
from lab.standin.waits.pods import complaints

LIVE: dict[str, Any] = {
    "metadata": {"uid": "u", "generation": 2, "labels": {"a.b/c": "d"}},
    "status": {
        "observedGeneration": 2,
        "ready": True,
        "list": [{"name": "x"}, {"name": "y"}],
        "conditions": [
            {"type": "Ready", "status": "True"},
            {"type": "Old", "status": "True", "observedGeneration": 1},
        ],
    },
}


@pytest.mark.parametrize(
    "text",
    [
        "jsonpath={.metadata.uid}",
        "jsonpath={ $.metadata.uid }=u",
        "jsonpath={.status.ready}=true",
        "jsonpath={.status.list[1].name}=y",
        "jsonpath={.status.list[*].name}=x",
        "jsonpath={.metadata.labels['a.b/c']}=d",
        "condition=Ready",
        "condition=ready=true",
        '["jsonpath={.metadata.uid}", "condition=Ready"]',
    ],
)
def test_a_condition_that_holds(text: str) -> None:
    assert all(holds(LIVE) for holds in conditions(text))


@pytest.mark.parametrize(
    "text",
    [
        "jsonpath={.metadata.uid}=other",
        "jsonpath={.status.missing}",
        "jsonpath={.status.list[7]}",
        "condition=Ready=False",
        "condition=Missing",
        "condition=Old",
    ],
)
def test_a_condition_that_does_not_hold(text: str) -> None:
    assert not all(holds(LIVE) for holds in conditions(text))


def test_what_is_said_of_an_earlier_generation_does_not_count() -> None:
    stale = LIVE | {"status": LIVE["status"] | {"observedGeneration": 1}}

    for text in ("jsonpath={.metadata.uid}", "condition=Ready"):
        [holds] = conditions(text)
        assert not holds(stale)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "at least one condition must be specified"),
        ("Ready", 'expected a "jsonpath=" or "condition=" prefix, got "Ready"'),
        ("jsonpath=.metadata.uid", "should be wrapped in brackets"),
        ("jsonpath={.a[?(@.b)]}", "knows names and indexes only"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, said: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(said)):
        conditions(text)


def test_the_resource_s_own_time_goes_before_the_annotation_s() -> None:
    declared = {"metadata": {"annotations": {"pulumi.com/timeoutSeconds": "7"}}}

    assert Terms("m", timeout=3.9).wait_seconds(declared) == 3.0
    assert Terms("m").wait_seconds(declared) == 7.0
    assert Terms("m").wait_seconds({}) == DEFAULT_TIMEOUT_SECONDS


def test_what_the_pods_of_a_workload_say() -> None:
    waiting = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
    ended = {"name": "web", "state": {"terminated": {"reason": "Error", "exitCode": 3}}}
    unready = {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "not ready: "}
    pods = [
        _pod("a", [_true("PodScheduled"), _true("Initialized"), unready], [waiting, ended]),
        _pod("b", [_true("PodScheduled"), _true("Initialized"), _true("Ready")], []),
        _pod("c", [{"type": "PodScheduled", "status": "False", "message": "no node"}], []),
        _pod("d", [_true("PodScheduled"), _true("Initialized"), unready], [waiting], owner="somebody"),
    ]

    assert complaints(pods, {"metadata": {"uid": "ours"}}) == [
        "[Pod files/a]: not ready: [ImagePullBackOff] no such image\n"
        'container "web" completed with exit code 3'
    ]


def _true(name: str) -> dict[str, str]:
    return {"type": name, "status": "True"}


def _pod(
    name: str, conditions: list[dict[str, str]], containers: list[dict[str, Any]], owner: str = "ours"
) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "files", "ownerReferences": [{"uid": owner}]},
        "status": {"conditions": conditions, "containerStatuses": containers},
    }
