"""Which objects count as created or changed by an interrupted run. Pure."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from dittoinfra.stacks.interrupted import (
    Created,
    Foreign,
    NotCreated,
    PendingOperation,
    holds,
    judge,
    pending_operations,
    with_created,
)
from dittoinfra.stacks.shown_values import drop_secrets
from lab.bed.credentials import credential
from lab.standin.target import FIELD_MANAGER

PREFIX = "urn:pulumi:prod::dittoinfra::"
PARENT = f"{PREFIX}dittoinfra:index:Server::media"
PROVIDER = f"{PREFIX}pulumi:providers:kubernetes::default"
URN = f"{PREFIX}dittoinfra:index:Server$kubernetes:core/v1:Service::media/nfs"
OFFICIAL = "pulumi-kubernetes-1f9c33ab"

INPUTS = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "media-adapter-nfs", "namespace": "files", "labels": {"instance": "media"}},
    "spec": {"type": "LoadBalancer", "ports": [{"name": "adapter-nfs", "port": 2049}], "selector": {}},
}
RESOURCE = {
    "urn": URN,
    "custom": True,
    "type": "kubernetes:core/v1:Service",
    "inputs": INPUTS,
    "parent": PARENT,
    "provider": f"{PROVIDER}::0a1b",
}
STATE = {
    "manifest": {"version": "v3"},
    "resources": [{"urn": PROVIDER, "type": "p"}, {"urn": PARENT, "type": "c"}],
    "pending_operations": [{"resource": RESOURCE, "type": "creating"}],
}


def live(*managers: str, **changes: object) -> dict[str, Any]:
    """The live object, with these field managers."""
    found: dict[str, Any] = deepcopy(INPUTS)
    found["metadata"] |= {"uid": "1-2-3", "managedFields": [{"manager": name} for name in managers]}
    found["spec"] |= {"clusterIP": "10.96.0.7", "selector": None}
    for path, value in changes.items():
        block, key = path.split("__")
        found[block][key] = value
    return found


def the_mark(**resource: object) -> PendingOperation:
    """The pending operation of a Service that was being created."""
    return PendingOperation("creating", {**RESOURCE, **resource})


@pytest.mark.parametrize("manager", [FIELD_MANAGER, OFFICIAL])
def test_what_a_provider_made_as_it_was_declared_is_the_interrupted_runs(manager: str) -> None:
    [mark] = pending_operations(STATE)
    object_now = live(manager, "cloud-controller")

    assert judge(STATE, mark, object_now) == Created(mark, object_now, manager)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (live("kubectl"), "it was written by kubectl"),
        (live("dittofs-operator", "manager"), "it was written by dittofs-operator, manager"),
        (live(), "it was written by an unknown manager"),
        (live(FIELD_MANAGER, OFFICIAL), f"it was written by {FIELD_MANAGER}, {OFFICIAL}"),
        (live(f"{OFFICIAL}0"), f"it was written by {OFFICIAL}0"),
        (
            live(OFFICIAL, metadata__labels={"instance": "other"}),
            "its label instance is not what was declared",
        ),
        (live(OFFICIAL, metadata__labels=None), "its label instance is not what was declared"),
        (live(OFFICIAL, spec__ports=[]), "its spec.ports is not what was declared"),
        (live(OFFICIAL, spec__ports=[{"port": 2049}]), None),
        (live(OFFICIAL, metadata__deletionTimestamp="2026-01-01T00:00:00Z"), "it is being deleted"),
    ],
)
def test_a_foreign_object_is_never_taken(found: Mapping[str, Any], why: str | None) -> None:
    verdict = judge(STATE, the_mark(), found)

    assert verdict == (Foreign(the_mark(), why) if why else Created(the_mark(), found, OFFICIAL))


def test_a_name_that_people_chose_for_the_provider_is_the_providers() -> None:
    metadata = {**INPUTS["metadata"], "annotations": {"pulumi.com/patchFieldManager": "us"}}  # type: ignore[dict-item] # a literal
    mark = the_mark(inputs={**INPUTS, "metadata": metadata})
    found = live("us", metadata__annotations={"pulumi.com/patchFieldManager": "us"})

    assert isinstance(judge(STATE, mark, found), Created)
    assert isinstance(judge(STATE, the_mark(), found), Foreign)


def test_what_is_not_there_was_not_made() -> None:
    assert judge(STATE, the_mark(), None) == NotCreated(the_mark())


def test_what_the_state_cannot_place_is_left_alone() -> None:
    orphan = the_mark(parent=f"{PREFIX}dittoinfra:index:Server::other")

    assert judge(STATE, orphan, live(OFFICIAL)) == Foreign(orphan, "the state does not hold what it hangs on")


@pytest.mark.parametrize(
    "resource",
    [
        {"type": "dittoinfra:index:Server", "custom": False},
        {"inputs": {**INPUTS, "metadata": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd"}}},
    ],
)
def test_components_and_what_is_hidden_are_not_looked_for(resource: dict[str, Any]) -> None:
    assert the_mark(**resource).object is None
    assert the_mark().object is not None
    assert PendingOperation("updating", RESOURCE).object is None


PATCH = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "media", "namespace": "files", "annotations": {"dittofs.io/patched-ports": "nfs"}},
}


def patched(*managers: str) -> dict[str, Any]:
    """A StatefulSet of another owner whose annotation these managers own."""
    fields: dict[str, Any] = {"f:metadata": {"f:annotations": {"f:dittofs.io/patched-ports": {}}}}
    owned = [{"manager": name, "fieldsV1": fields} for name in managers]
    return {**PATCH, "metadata": {**PATCH["metadata"], "managedFields": [{"manager": "helm"}, *owned]}}  # type: ignore[dict-item] # a literal


def test_a_patch_was_made_by_the_one_that_owns_its_annotations() -> None:
    mark = the_mark(type="kubernetes:apps/v1:StatefulSetPatch", inputs=PATCH)

    assert mark.object is not None
    assert judge(STATE, mark, patched()) == NotCreated(mark)
    assert judge(STATE, mark, patched(OFFICIAL)) == Created(mark, patched(OFFICIAL), OFFICIAL)
    twice = judge(STATE, mark, patched(OFFICIAL, "pulumi-kubernetes-00000000"))
    assert isinstance(twice, Foreign)


def test_the_state_is_as_the_engine_would_have_left_it() -> None:
    made = Created(the_mark(), live(FIELD_MANAGER), FIELD_MANAGER)

    after = with_created(STATE, [made])

    assert "pending_operations" not in after
    assert after["resources"][:2] == STATE["resources"]
    held = after["resources"][2]
    assert held["id"] == "files/media-adapter-nfs"
    assert (held["inputs"], held["parent"]) == (INPUTS, PARENT)
    assert held["outputs"]["spec"]["clusterIP"] == "10.96.0.7"
    assert "managedFields" not in held["outputs"]["metadata"]
    assert holds(after, the_mark())
    assert not holds(STATE, the_mark())


def test_the_official_provider_goes_on_under_the_name_that_it_made_the_object_under() -> None:
    after = with_created(STATE, [Created(the_mark(), live(OFFICIAL), OFFICIAL)])

    outputs = after["resources"][2]["outputs"]
    assert outputs["__fieldManager"] == OFFICIAL
    assert outputs["__initialApiVersion"] == "v1"
    assert outputs["__inputs"] == INPUTS


def test_a_successor_takes_the_place_of_what_was_deleted_for_it() -> None:
    before = {**RESOURCE, "id": "files/media-adapter-nfs", "pendingReplacement": True}
    state = {**STATE, "resources": [*STATE["resources"], before]}

    assert not holds(state, the_mark())
    after = with_created(state, [Created(the_mark(), live(OFFICIAL), OFFICIAL)])

    assert [r["urn"] for r in after["resources"]].count(URN) == 1
    assert not any(r.get("pendingReplacement") for r in after["resources"])


def test_no_value_of_a_secret_gets_into_the_state() -> None:
    value = credential("made-by-a-killed-run")
    found = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "media-jwt-secret",
            "namespace": "files",
            "managedFields": [{"manager": OFFICIAL}],
        },
        "data": {"jwt-secret": value},
    }
    hidden = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:x"}
    inputs = {**found, "metadata": {"name": "media-jwt-secret"}, "data": {"jwt-secret": hidden}}
    mark = the_mark(type="kubernetes:core/v1:Secret", inputs=inputs)

    verdict = judge(STATE, mark, found)

    assert isinstance(verdict, Created)
    assert value not in str(with_created(STATE, [verdict]))
    assert value not in str(verdict)


def test_what_stands_for_a_secret_does_not_pass_for_it() -> None:
    hidden = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "[secret]"}

    assert drop_secrets({"a": 1, "b": hidden, "c": [hidden, {"d": hidden}]}) == {"a": 1, "c": [{}]}
