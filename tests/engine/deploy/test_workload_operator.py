"""The StatefulSet, field by field, against the one that the DittoFS operator makes."""

from typing import Any

from tests.engine.deploy.workload import media, stateful_set
from tests.engine.world import World

SELECTOR = {"app": "dittofs-server", "instance": "media"}


def claim(name: str, size: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": name}, "spec": spec}


def secret(name: str, key: str) -> dict[str, Any]:
    return {"secretKeyRef": {"name": name, "key": key}}


def probe(path: str, delay: int, period: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": 8080, "scheme": "HTTP"},
        "initialDelaySeconds": delay,
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "successThreshold": 1,
        "failureThreshold": failures,
    }


def test_the_defaults_are_the_operators(world: World) -> None:
    storage = {"content": {"size": "50Gi"}}
    world.configure(media(deploy={"storage": storage}))
    world.up()

    spec = stateful_set(world)["spec"]
    template = spec.pop("template")
    assert spec == {
        "replicas": 1,
        "serviceName": "media-headless",
        "selector": {"matchLabels": SELECTOR},
        "podManagementPolicy": "OrderedReady",
        "updateStrategy": {"type": "RollingUpdate"},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        "volumeClaimTemplates": [
            claim("metadata", "10Gi"),
            claim("content", "50Gi"),
            claim("controlplane", "1Gi"),
        ],
    }
    assert SELECTOR.items() <= template["metadata"]["labels"].items()
    assert set(template["metadata"]["annotations"]) == {"dittofs.io/config-hash"}
    pod = template["spec"]
    (container,) = pod.pop("containers")
    assert pod == {
        "automountServiceAccountToken": False,
        "securityContext": {"fsGroup": 65532},
        "terminationGracePeriodSeconds": 105,
        "volumes": [
            {
                "name": "config",
                "configMap": {
                    "name": "media-config",
                    "items": [{"key": "config.yaml", "path": "config.yaml"}],
                },
            }
        ],
    }
    assert container == {
        "name": "dittofs",
        "image": "marmos91c/dittofs:v0.31.1",
        "command": ["/app/dfs"],
        "args": ["start", "--foreground", "--config", "/config/config.yaml"],
        "env": [
            {
                "name": "DITTOFS_CONTROLPLANE_SECRET",
                "valueFrom": secret("media-jwt-secret", "jwt-secret"),
            },
            {
                "name": "DITTOFS_ADMIN_INITIAL_PASSWORD",
                "valueFrom": secret("media-admin-bootstrap-credentials", "password"),
            },
        ],
        "ports": [{"name": "api", "containerPort": 8080, "protocol": "TCP"}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [
            {"name": "metadata", "mountPath": "/data/store/metadata"},
            {"name": "content", "mountPath": "/data/store/block"},
            {"name": "controlplane", "mountPath": "/data/controlplane"},
            {"name": "config", "mountPath": "/config", "readOnly": True},
        ],
        "startupProbe": probe("/health", 0, 5, 30),
        "livenessProbe": probe("/health", 15, 10, 3),
        "readinessProbe": probe("/health/ready", 10, 5, 3),
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 5"]}}},
    }
