"""What the state tells of a StatefulSet, and which changes of it stop a run."""

from collections.abc import Mapping
from typing import Any

import pytest

from dittoinfra.decide.immutable_fields import planned_fields, replacements
from dittoinfra.exitcodes import ExitCode
from dittoinfra.object_model import FixedFields, VolumeClaim
from dittoinfra.program.run_errors import RunRefused
from dittoinfra.settings import ServerSettings
from dittoinfra.state import fixed_fields
from dittoinfra.state.kubernetes_objects import patched_ports, remembered_restarts, remembered_workloads
from tests.pure.decide.make import server

STATEFUL_SET = "dittoinfra:index:Server$kubernetes:apps/v1:StatefulSet"
ADVICE = "or set deploy.storage.replace to true: the StatefulSet is replaced, its volumes stay as they are"


def urn(name: str, qualified_type: str = STATEFUL_SET) -> str:
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def live_claim(name: str, size: str, storage_class: str | None = None) -> dict[str, Any]:
    """A claim as the API gives it back: with defaults and a status that was not declared."""
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size}},
        "volumeMode": "Filesystem",
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "creationTimestamp": None},
        "spec": spec | ({"storageClassName": storage_class} if storage_class else {}),
        "status": {"phase": "Pending"},
    }


def live(*claims: dict[str, Any], **spec: object) -> dict[str, Any]:
    return {
        "metadata": {"name": "media", "namespace": "files"},
        "spec": {
            "serviceName": "media-headless",
            "selector": {"matchLabels": {"app": "dittofs-server", "instance": "media"}},
            "podManagementPolicy": "OrderedReady",
            "volumeClaimTemplates": list(claims),
            **spec,
        },
        "status": {"replicas": 1.0},
    }


LIVE = live(live_claim("metadata", "10Gi"), live_claim("controlplane", "1Gi"))


def media(storage: Mapping[str, object] | None = None, **settings: object) -> ServerSettings:
    return server("media", **{"namespace": "files", "deploy": {"storage": storage or {}}, **settings})


def lines(configured: ServerSettings, held: dict[str, Any] = LIVE) -> list[str]:
    return [str(refusal) for refusal in replacements([configured], {"media": fixed_fields(held)})]


def test_a_statefulset_is_remembered_with_what_cannot_change() -> None:
    assert remembered_workloads({urn("media"): {"outputs": LIVE}}) == {
        "media": FixedFields(
            "files",
            "media-headless",
            {"app": "dittofs-server", "instance": "media"},
            "OrderedReady",
            (VolumeClaim("metadata", "10Gi"), VolumeClaim("controlplane", "1Gi")),
        )
    }


@pytest.mark.parametrize(
    ("other", "outputs"),
    [
        (urn("media", "dittoinfra:index:Server$kubernetes:apps/v1:StatefulSetPatch"), LIVE),
        (urn("media", "kubernetes:apps/v1:StatefulSet"), LIVE),
        (urn("media"), None),
        (urn("media"), {"metadata": {}}),
        (urn("media"), {"spec": None}),
    ],
)
def test_nothing_else_is_taken_for_a_statefulset_that_was_created(other: str, outputs: object) -> None:
    assert remembered_workloads({other: {"outputs": outputs}}) == {}


def test_a_statefulset_of_anybody_can_be_read() -> None:
    held = fixed_fields({"spec": {"replicas": 1, "volumeClaimTemplates": [{"metadata": {}}]}})

    assert held == FixedFields("default", "", {}, "OrderedReady", (VolumeClaim("", None),))


def test_what_is_declared_is_what_is_remembered() -> None:
    storage = {"content": {"size": "50Gi", "storageClass": "fast"}}
    claims = (
        live_claim("metadata", "10Gi"),
        live_claim("content", "50Gi", "fast"),
        live_claim("controlplane", "1Gi"),
    )
    configured = media(storage)
    assert configured.deploy is not None

    assert planned_fields(configured, configured.deploy) == fixed_fields(live(*claims))
    assert lines(configured, live(*claims)) == []


@pytest.mark.parametrize(
    ("configured", "held", "line"),
    [
        (
            media({"metadata": {"size": "20Gi"}}),
            LIVE,
            "media: deploy.storage.metadata.size changes from 10Gi to 20Gi, for which Kubernetes needs "
            "another StatefulSet; leave it at 10Gi and resize the claim itself "
            f"(`kubectl -n files edit pvc metadata-media-0`), {ADVICE}",
        ),
        (
            media({"controlplane": {"storageClass": "fast"}}),
            LIVE,
            "media: deploy.storage.controlplane.storageClass changes from the cluster's default to fast, "
            f"for which Kubernetes needs another StatefulSet; set it back, {ADVICE}",
        ),
        (
            media({"content": {}}),
            LIVE,
            "media: the list of claims in deploy.storage changes from metadata+controlplane to "
            "metadata+content+controlplane, for which Kubernetes needs another StatefulSet; set it back, "
            f"{ADVICE}",
        ),
        (
            media(namespace="other"),
            LIVE,
            "media: namespace changes from files to other, for which Kubernetes needs another StatefulSet; "
            f"set it back, {ADVICE}",
        ),
    ],
    ids=["size", "class", "claims", "namespace"],
)
def test_a_change_that_would_replace_the_statefulset_is_refused_with_the_way_to_do_it(
    configured: ServerSettings, held: dict[str, Any], line: str
) -> None:
    assert lines(configured, held) == [line]


@pytest.mark.parametrize(
    ("held", "beginning"),
    [
        (
            live(*LIVE["spec"]["volumeClaimTemplates"], serviceName="media"),
            "media: serviceName changes from media",
        ),
        (
            live(*LIVE["spec"]["volumeClaimTemplates"], podManagementPolicy="Parallel"),
            "media: podManagementPolicy changes from Parallel to OrderedReady",
        ),
        (
            live(*LIVE["spec"]["volumeClaimTemplates"], selector={"matchLabels": {"app": "x"}}),
            "media: selector changes from app=x to app=dittofs-server,instance=media",
        ),
        (
            live(*LIVE["spec"]["volumeClaimTemplates"], selector={}),
            "media: selector changes from nothing to app=dittofs-server,instance=media",
        ),
        (live(), "media: the list of claims in deploy.storage changes from nothing to metadata+controlplane"),
        (
            live({"metadata": {"name": "metadata"}}, live_claim("controlplane", "1Gi")),
            "media: deploy.storage.metadata.size changes from nothing to 10Gi",
        ),
    ],
)
def test_a_statefulset_that_others_made_is_not_replaced_unasked(held: dict[str, Any], beginning: str) -> None:
    (line,) = lines(media(), held)

    assert line.startswith(beginning)


def test_a_setting_lets_the_replacement_through() -> None:
    assert lines(media({"metadata": {"size": "20Gi"}, "replace": True})) == []


@pytest.mark.parametrize(
    "configured",
    [server("other", deploy={}), server("media", namespace="other")],
    ids=["not in the state", "not deployed any more"],
)
def test_only_a_statefulset_of_the_state_that_is_declared_again_can_be_replaced(
    configured: ServerSettings,
) -> None:
    assert lines(configured) == []


def test_such_a_run_ends_as_one_that_a_rule_has_stopped() -> None:
    refused = replacements([media(namespace="other")], {"media": fixed_fields(LIVE)})

    assert RunRefused(refused).exit_code is ExitCode.POLICY


def test_ports_that_were_patched_are_remembered_by_their_annotation() -> None:
    patched = {"metadata": {"annotations": {"dittofs.io/adapter-ports": "adapter-nfs=12049/TCP"}}}
    patch = f"{STATEFUL_SET}Patch"

    assert patched_ports({urn("media", patch): {"outputs": patched}}) == {"media": "adapter-nfs=12049/TCP"}
    assert patched_ports({urn("media"): {"outputs": patched}}) == {}
    assert patched_ports({urn("media", patch): {"outputs": {}}, urn("old", patch): {}}) == {}


def test_a_restart_by_kubectl_is_remembered_of_deployed_servers_only() -> None:
    template = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}}}
    restarted = {"outputs": {"spec": {"template": template}}}
    place = "urn:pulumi:dev::dittoinfra::dittoinfra:index:Server$kubernetes:apps/v1:"

    remembered = remembered_restarts(
        {
            f"{place}StatefulSet::media": restarted,
            f"{place}StatefulSet::archive": {"outputs": {}},
            f"{place}StatefulSetPatch::theirs": restarted,
        }
    )

    assert remembered == {"media": "2026-01-01T00:00:00Z"}
