"""Settings of the Pod changed one by one: which objects a change touches, and whether the Pod restarts."""

from collections.abc import Iterator
from typing import Any

import pytest
from pulumi.automation import PulumiCommand

from tests.engine.deploy.workload import media, restarts, touched
from tests.engine.world import World
from tests.engine.world import world as new_world

PINNED = {"pinned": [{"type": "nfs", "port": 12049}]}
WORKLOAD = {"StatefulSet/media"}
CONFIGURED = WORKLOAD | {"ConfigMap/media-config"}

SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": {"matchLabels": {"instance": "media"}},
}
AFFINITY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host"}]}}

POD_SETTINGS: dict[str, Any] = {
    "image": "mirror.example.com/dittofs:v0.31.1",
    "imagePullPolicy": "Always",
    "imagePullSecrets": ["registry"],
    "resources": {"requests": {"cpu": "100m"}},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "storage", "operator": "Exists"}],
    "affinity": AFFINITY,
    "topologySpreadConstraints": [SPREAD],
    "priorityClass": "high",
    "serviceAccount": "files",
    "env": [{"name": "GOMEMLIMIT", "value": "1GiB"}],
    "volumes": [{"name": "extra", "emptyDir": {}}],
    "volumeMounts": [{"name": "config", "mountPath": "/also"}],
    "podSecurityContext": {"fsGroupChangePolicy": "OnRootMismatch"},
    "containerSecurityContext": {"runAsUser": 65532},
    "readOnlyRootFilesystem": True,
    "gracePeriod": "3m",
}
"""Each touches the Pod's template and nothing else."""


@pytest.fixture(scope="module")
def settled(pulumi_cli: PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A stack that has been brought up with the defaults."""
    with new_world(pulumi_cli, tmp_path_factory.mktemp("settled")) as world:
        world.configure(media(deploy={}, adapters=PINNED))
        world.up()
        yield world


@pytest.mark.parametrize("key", POD_SETTINGS)
def test_a_setting_of_the_pod_changes_its_template_and_nothing_else(settled: World, key: str) -> None:
    settled.configure(media(deploy={key: POD_SETTINGS[key]}, adapters=PINNED))

    report = settled.preview()

    assert touched(report).keys() == WORKLOAD
    assert all(path.startswith("spec.template.spec") for path in touched(report)["StatefulSet/media"])


@pytest.mark.parametrize(
    ("volume", "warned"),
    [({"ephemeral": {}}, True), ({"persistentVolumeClaim": {"claimName": "content"}}, False)],
    ids=["ephemeral", "claim"],
)
def test_a_preview_warns_of_writes_that_are_lost_with_the_pod(
    settled: World, volume: dict[str, Any], warned: bool
) -> None:
    mounts = [{"name": "own", "mountPath": "/data/store/block"}]
    deploy = {"volumes": [{"name": "own", **volume}], "volumeMounts": mounts}
    settled.configure(media(deploy=deploy, adapters=PINNED))

    lines = settled.preview().lines("warning")

    start = "media: writes are kept at /data/store/block until they are uploaded, and without a claim there"
    assert any(line.startswith(start) for line in lines) == warned


@pytest.mark.parametrize(
    ("deploy", "objects", "restarted"),
    [
        ({"replicas": 0}, WORKLOAD, False),
        ({"updateStrategy": "OnDelete"}, WORKLOAD, False),
        ({"podDisruptionBudget": True}, {"PodDisruptionBudget/media"}, False),
        ({"storage": {"replace": True}}, set(), False),
        ({"storage": {"metadata": {"size": "10240Mi"}}}, set(), False),
        ({"config": {"extra": {}}}, set(), False),
        ({"config": {"logging": {"level": "DEBUG"}}}, CONFIGURED, True),
        ({"config": {"shutdownTimeout": "1m"}}, CONFIGURED, True),
        ({"freezePorts": True}, WORKLOAD | {"Service/media-headless"}, True),
    ],
    ids=[
        "replicas",
        "update strategy",
        "budget",
        "permission to replace",
        "another spelling of a size",
        "nothing",
        "log level",
        "shutdown timeout",
        "frozen ports",
    ],
)
def test_a_setting_touches_only_what_it_is_about(
    settled: World, deploy: dict[str, object], objects: set[str], restarted: bool
) -> None:
    settled.configure(media(deploy=deploy, adapters=PINNED))

    report = settled.preview()

    assert touched(report).keys() == objects
    assert restarts(report) is restarted


def test_a_label_is_no_reason_to_restart_a_file_server(settled: World) -> None:
    settled.configure(media(deploy={}, adapters=PINNED, labels={"team": "storage"}))

    report = settled.preview()

    assert touched(report)["StatefulSet/media"] == ("metadata.labels.team",)


def test_the_configuration_is_written_before_the_pod_restarts_for_it(settled: World) -> None:
    settled.configure(media(deploy={"config": {"logging": {"level": "DEBUG"}}}, adapters=PINNED))

    report = settled.preview()

    assert list(touched(report)) == ["ConfigMap/media-config", "StatefulSet/media"]
    assert touched(report)["StatefulSet/media"] == (
        'spec.template.metadata.annotations["dittofs.io/config-hash"]',
    )
