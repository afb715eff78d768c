"""What single settings of the Pod come to."""

from typing import Any

import pytest

from dittoinfra.decide.pod import (
    Mount,
    SecretVariable,
    container_environment,
    container_security_context,
    grace_seconds,
    liveness_probe,
    pod_security_context,
    pod_volumes,
    readiness_probe,
    startup_probe,
    volume_mounts,
)
from dittoinfra.object_model import VolumeClaim
from dittoinfra.settings import Deploy


def deploy(**settings: object) -> Deploy:
    return Deploy.model_validate(settings)


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        ({}, 105),
        ({"config": {"shutdownTimeout": "1m"}}, 195),
        ({"config": {"shutdownTimeout": "500ms"}}, 17),
        ({"gracePeriod": "10m", "config": {"shutdownTimeout": "1m"}}, 600),
        ({"gracePeriod": "1500ms"}, 2),
    ],
)
def test_the_grace_period_leaves_time_for_every_stage_of_a_shutdown(
    settings: dict[str, Any], seconds: int
) -> None:
    assert grace_seconds(deploy(**settings)) == seconds


@pytest.mark.parametrize(
    ("tls", "question"),
    [
        (None, {"httpGet": {"path": "/health/ready", "port": 8443, "scheme": "HTTP"}}),
        ({"secret": "cert"}, {"httpGet": {"path": "/health/ready", "port": 8443, "scheme": "HTTPS"}}),
        ({"secret": "cert", "clientCa": "ca"}, {"tcpSocket": {"port": 8443}}),
    ],
    ids=["http", "https", "mtls"],
)
def test_a_probe_speaks_what_the_api_speaks(tls: object, question: dict[str, Any]) -> None:
    settings = deploy(api={"port": 8443, "tls": tls})

    assert question.items() <= readiness_probe(settings).items()
    for probe in (startup_probe(settings), liveness_probe(settings)):
        assert question.keys() <= probe.keys()


def test_a_server_has_time_to_start_and_is_restarted_late_but_loses_its_connections_early() -> None:
    health = {"httpGet": {"path": "/health", "port": 8080, "scheme": "HTTP"}}
    same = {"timeoutSeconds": 5, "successThreshold": 1}

    assert startup_probe(deploy()) == {
        **health,
        **same,
        "initialDelaySeconds": 0,
        "periodSeconds": 5,
        "failureThreshold": 30,
    }
    assert liveness_probe(deploy()) == {
        **health,
        **same,
        "initialDelaySeconds": 15,
        "periodSeconds": 10,
        "failureThreshold": 3,
    }
    assert readiness_probe(deploy()) == {
        "httpGet": {"path": "/health/ready", "port": 8080, "scheme": "HTTP"},
        **same,
        "initialDelaySeconds": 10,
        "periodSeconds": 5,
        "failureThreshold": 3,
    }


def test_security_contexts_are_merged_over_the_defaults_and_null_takes_one_away() -> None:
    settings = deploy(
        podSecurityContext={"fsGroup": None, "fsGroupChangePolicy": "OnRootMismatch"},
        containerSecurityContext={
            "capabilities": {"add": ["NET_BIND_SERVICE"]},
            "seccompProfile": None,
            "seLinuxOptions": {"level": "s0", "role": None},
        },
    )

    assert pod_security_context(settings) == {"fsGroupChangePolicy": "OnRootMismatch"}
    assert container_security_context(settings) == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        "runAsNonRoot": True,
        "seLinuxOptions": {"level": "s0"},
    }


def test_variables_come_from_secrets_and_a_configured_one_takes_the_place_of_ours() -> None:
    own = (
        SecretVariable("A", "s", "a"),
        SecretVariable("KEY", "s", "k"),
        SecretVariable("PORT", "s", "p", optional=True),
    )
    settings = deploy(env=[{"name": "B", "value": "2"}, {"name": "A", "value": "3"}])

    assert container_environment(settings, own) == [
        {"name": "A", "value": "3"},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "PORT", "valueFrom": {"secretKeyRef": {"name": "s", "key": "p", "optional": True}}},
        {"name": "B", "value": "2"},
    ]


CONFIG = Mount("config", "/config", {"config.yaml": "config.yaml"}, config_map="media-config")
KEYTAB = Mount("keytab", "/kerberos", {"k": "dittofs.keytab"}, secret="krb")


def test_files_of_secrets_are_readable_by_the_pods_group_alone() -> None:
    config, keytab = pod_volumes(deploy(), (CONFIG, KEYTAB))

    assert config["configMap"] == {
        "name": "media-config",
        "items": [{"key": "config.yaml", "path": "config.yaml"}],
    }
    assert keytab["secret"] == {
        "secretName": "krb",
        "items": [{"key": "k", "path": "dittofs.keytab"}],
        "defaultMode": 0o440,
    }


def test_nothing_is_written_to_mounted_files() -> None:
    assert volume_mounts(deploy(), (CONFIG,)) == [
        {"name": "config", "mountPath": "/config", "readOnly": True},
    ]


def test_a_read_only_root_has_a_place_for_temporary_files() -> None:
    settings = deploy(readOnlyRootFilesystem=True)

    assert container_security_context(settings)["readOnlyRootFilesystem"] is True
    assert pod_volumes(settings, ()) == [{"name": "tmp", "emptyDir": {}}]
    assert volume_mounts(settings, (), [VolumeClaim("metadata", "1Gi")]) == [
        {"name": "metadata", "mountPath": "/data/store/metadata"},
        {"name": "tmp", "mountPath": "/tmp"},
    ]


def test_a_configured_volume_or_mount_takes_the_place_of_ours() -> None:
    shared = {"name": "tmp", "emptyDir": {"medium": "Memory"}}
    settings = deploy(
        readOnlyRootFilesystem=True,
        volumes=[shared, {"name": "mine", "emptyDir": {}}],
        volumeMounts=[{"name": "mine", "mountPath": "/config"}],
    )

    assert [volume["name"] for volume in pod_volumes(settings, (CONFIG,))] == ["config", "tmp", "mine"]
    assert shared in pod_volumes(settings, (CONFIG,))
    assert volume_mounts(settings, (CONFIG,)) == [
        {"name": "mine", "mountPath": "/config"},
        {"name": "tmp", "mountPath": "/tmp"},
    ]
