"""What is said and refused about objects that exist. Pure."""

from typing import Any, NamedTuple

import pytest

from dittoinfra.decide.adoption_rules import (
    Adoption,
    Leftover,
    Used,
    decide_adoption,
    decide_takeover,
    is_leftover,
    used_objects,
)
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.object_model import DeclaredObject, FixedFields, HeldObject
from dittoinfra.settings import Deploy
from tests.pure.decide.make import server

OWNER = {"kind": "DittoServer", "name": "media", "uid": "1"}
LABELS = {"app": "dittofs-server", "instance": "media"}


class Found(NamedTuple):
    """An object that is about to be declared and exists already."""

    declared: DeclaredObject
    live: dict[str, Any]
    fresh: dict[str, Any]
    fixed: FixedFields | None = None


def found(
    kind: str = "ConfigMap",
    there: dict[str, Any] | None = None,
    here: dict[str, Any] | None = None,
    **metadata: object,
) -> Found:
    place = {"name": "media", "namespace": "files"}
    manifest = {"apiVersion": "v1", "kind": kind, "metadata": {**place, "labels": LABELS}, **(here or {})}
    known = {**place, "labels": LABELS, "uid": "u-1", "resourceVersion": "7", **metadata}
    live = {"apiVersion": "v1", "kind": kind, "metadata": known, **(there or {})}
    return Found(DeclaredObject("media", HeldObject("v1", kind, "media"), manifest), live, fresh=manifest)


def adoption(this: Found, deploy: dict[str, Any] | None = None) -> Adoption:
    decided = decide_adoption(server(deploy=deploy), *this)
    assert isinstance(decided, Adoption)
    return decided


def obstacle(this: Found, deploy: dict[str, Any] | None = None) -> str:
    decided = decide_adoption(server(deploy=deploy), *this)
    assert isinstance(decided, AdoptionImpossible)
    return str(decided)


def test_an_object_that_is_as_declared_is_adopted_without_ado() -> None:
    this = found(there={"data": {"a": "1"}}, here={"data": {"a": "1"}})

    note = adoption(this).note()

    assert note.text == "ConfigMap media exists already (uid u-1): adopted"
    assert not note.warning
    assert (this.declared.api_version, this.declared.namespace) == ("v1", "files")


def test_everything_that_goes_is_told_as_a_warning() -> None:
    port = 'k:{"port":111,"protocol":"TCP"}'
    fields = {
        "f:metadata": {"f:labels": {"f:old": {}}, "f:annotations": {"f:lb": {}, "f:helm.sh/x": {}}},
        "f:spec": {"f:type": {}, "f:ports": {port: {".": {}}}, "f:externalName": {}},
    }
    this = found(
        "Service",
        there={"spec": {"type": "A", "ports": [{"name": "portmap", "port": 111}], "externalName": "x"}},
        here={"spec": {"type": "B", "ports": []}},
        labels={"old": "1"},
        annotations={"lb": "1", "helm.sh/x": "1"},
        ownerReferences=[OWNER],
        managedFields=[{"manager": "m", "operation": "Update", "fieldsV1": fields}],
    )

    note = adoption(this).note()

    assert note.text.partition(": adopted; ")[2] == (
        "loses its owner DittoServer/media; "
        "removed from it: annotation helm.sh/x, label old, port portmap, spec.externalName; "
        "changed on it: labels, spec.type; left on it: annotation lb"
    )
    assert note.warning


@pytest.mark.parametrize(
    ("strategy", "fate"),
    [
        ({}, "the Pod restarts once"),
        ({"updateStrategy": {"type": "RollingUpdate"}}, "the Pod restarts once"),
        ({"updateStrategy": {"type": "OnDelete"}}, "the Pod is replaced when it is deleted"),
    ],
)
def test_another_pod_is_told(strategy: dict[str, Any], fate: str) -> None:
    there = {"spec": {"template": {"image": "1"}, **strategy}}
    here = {"spec": {"template": {"image": "2"}, **strategy}}

    text = adoption(found("StatefulSet", there, here)).note().text

    assert text.endswith(f": adopted; its Pod's template changes: {fate}")


@pytest.mark.parametrize(
    ("metadata", "held"),
    [({"finalizers": ["x.example/lb"]}, "x.example/lb"), ({}, "its own kind")],
)
def test_what_is_being_deleted_cannot_be_adopted(metadata: dict[str, Any], held: str) -> None:
    assert obstacle(found(deletionTimestamp="now", **metadata)) == (
        f"media: ConfigMap media cannot be adopted: it is being deleted, held by {held}: "
        "see why it does not finish, then run again"
    )


def test_a_headless_service_cannot_become_another_one() -> None:
    this = found("Service", {"spec": {"clusterIP": "10.0.0.1"}}, {"spec": {"clusterIP": "None"}})

    assert obstacle(this) == (
        "media: Service media cannot be adopted: it is not headless there and headless here, which "
        "Kubernetes does not let change: delete it, and run again"
    )
    adoption(found("Service", {"spec": {"clusterIP": "10.0.0.1"}}, {"spec": {}}))


def test_a_statefulset_with_another_claim_cannot_be_adopted() -> None:
    block = {"storage": {"metadata": {"size": "20Gi"}}}
    planned = planned_fields(server(), Deploy.model_validate({}))
    this = found("StatefulSet", {"spec": {}}, {"spec": {}})._replace(fixed=planned)

    assert "deploy.storage.metadata.size is 10Gi there and 20Gi here" in obstacle(this, deploy=block)
    adoption(this, deploy={})
    # Without `deploy` the StatefulSet is foreign, whatever it claims.
    adoption(this)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"name": "x", "ownerReferences": [OWNER]}, True),
        ({"name": "x", "ownerReferences": [{**OWNER, "uid": "2"}]}, False),
        ({"name": "x", "labels": LABELS}, True),
        ({"name": "x", "labels": {**LABELS, "instance": "other"}}, False),
        ({"name": "media-file"}, True),
        ({"name": "media-file", "labels": {"app.kubernetes.io/managed-by": "pulumi"}}, False),
    ],
)
def test_what_belongs_to_a_server(metadata: dict[str, Any], expected: bool) -> None:
    assert is_leftover(server(), {"metadata": metadata}, frozenset({"1"})) is expected


def test_what_a_workload_reads() -> None:
    manifest = {
        "spec": {
            "containers": [
                {"env": [{"valueFrom": {"secretKeyRef": {"name": "jwt", "key": "k"}}}]},
                {"envFrom": [{"configMapRef": {"name": "env"}}, {"secretRef": {"name": "more"}}]},
            ],
            "volumes": [{"secret": {"secretName": "tls"}}, {"configMap": {"name": "config"}}],
            "secret": "text",
        }
    }

    assert set(used_objects(manifest)) == {
        ("Secret", "jwt"),
        ("Secret", "more"),
        ("Secret", "tls"),
        ("ConfigMap", "env"),
        ("ConfigMap", "config"),
    }


LEFT = Leftover("Service", "media-file", (), of_adapter=False)
OWNED = Leftover("Service", "media-adapter-nfs", ("DittoServer/media",), of_adapter=True)
USED = Used("Secret", {"metadata": {"name": "jwt", "ownerReferences": [OWNER]}})


def test_everything_about_one_server_is_told_together() -> None:
    this = adoption(found())

    takeover = decide_takeover(server(), [this], [LEFT, OWNED], [USED], bootstrap=False)

    assert takeover.impossible == ()
    assert [note.text for note in takeover.notes] == [
        "ConfigMap media exists already (uid u-1): adopted",
        "Secret jwt is read by the server and not declared: it loses its owner DittoServer/media, and stays",
        "Service media-file is of an earlier deployment and not declared: left alone; nothing deletes it",
        "Service media-adapter-nfs is of an earlier deployment and not declared: left alone; "
        "Kubernetes deletes it with DittoServer/media",
    ]


def test_no_adapter_is_left_behind_because_its_server_was_silent() -> None:
    takeover = decide_takeover(server(), [], [LEFT, OWNED], [], bootstrap=True)

    assert takeover.notes == (LEFT.note("media"),)
    assert [str(reason) for reason in takeover.impossible] == [
        "media: Service media-adapter-nfs cannot be adopted: the server has not told its adapters: "
        "make its API reachable (api.url), or pin the adapter"
    ]
