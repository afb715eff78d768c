"""A server as the DittoFS operator creates it, with annotations and addresses of a cloud."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dittoinfra import naming
from lab.bed.credentials import credential
from tests.engine.namespace import Namespace

OPERATOR = "manager"
"""The field manager that an operator's client writes under."""

OWNER = "DittoServer/media"
CLOUD = "cloud-controller-manager"
ADDRESS = "192.0.2.10"
FINALIZER = "service.kubernetes.io/load-balancer-cleanup"

SELECTOR = naming.selector("media")

SERVICES = "api/v1:services"
STATEFUL_SET = "apis/apps/v1:statefulsets/media"
NFS = f"{SERVICES}/media-adapter-nfs"

PINNED = {"pinned": [{"type": "nfs", "port": 12049}, {"type": "smb", "port": 12445}]}
"""The server's adapters, in the settings of a stack that takes it over."""


class OperatorMade:
    """Everything of the server `media` in one namespace."""

    def __init__(self, namespace: Namespace, manager: str = OPERATOR) -> None:
        self.namespace = namespace.name
        self.get, self.delete = namespace.get, namespace.delete
        self._objects = namespace
        self._manager = manager

    def make(self) -> None:
        """The whole server, with an address from a cloud on its nfs Service."""
        for path, bodies in _objects().items():
            for body in bodies:
                self.create(path, body, owned=True)
        self._cloud_at_work()

    def create(self, path: str, body: Mapping[str, Any], *, owned: bool = False) -> None:
        """One object, as its maker writes it."""
        metadata = {**body["metadata"], **({"ownerReferences": [self._owner]} if owned else {})}
        self._objects.create(path, {**body, "metadata": metadata}, self._manager)

    def every_object(self) -> dict[str, dict[str, Any]]:
        """All of them, by path."""
        return {
            f"{path}/{body['metadata']['name']}": self.get(f"{path}/{body['metadata']['name']}")
            for path, bodies in _objects().items()
            for body in bodies
        }

    def patch(self, path: str, body: Mapping[str, Any], manager: str) -> None:
        """A change by a field manager."""
        self._objects.merge(path, dict(body), manager)

    @cached_property
    def _owner(self) -> Mapping[str, Any]:
        # The operator's own kind has no definition here; to Kubernetes an owner is a uid with a name.
        body = {"metadata": {"name": "media-owner"}}
        made = self._objects.create("api/v1:configmaps", body)
        kind, _, name = OWNER.partition("/")
        return {
            "apiVersion": "dittofs.dittofs.com/v1alpha1",
            "kind": kind,
            "name": name,
            "uid": made["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }

    def _cloud_at_work(self) -> None:
        status = {"status": {"loadBalancer": {"ingress": [{"ip": ADDRESS}]}}}
        self.patch(f"{NFS}/status", status, CLOUD)
        marks = {"finalizers": [FINALIZER], "annotations": {"cloud.example/id": "lb-1"}}
        self.patch(NFS, {"metadata": marks}, CLOUD)


def _objects() -> dict[str, list[dict[str, Any]]]:
    """What the operator makes of its resource, by the path of its kind."""
    return {
        SERVICES: [
            _adapter_service("nfs", _NFS_PORTS),
            _adapter_service("smb", _SMB_PORTS),
            service("media-api", [_port("api", 8080)]),
            service("media-headless", [_port("api", 8080)], clusterIP="None"),
        ],
        "api/v1:configmaps": [
            {
                "metadata": {"name": "media-config", "labels": SELECTOR},
                "data": {"config.yaml": "logging: {}\n"},
            }
        ],
        "api/v1:secrets": [
            {
                "metadata": {"name": "media-jwt-secret"},
                "stringData": {"jwt-secret": credential("operators-jwt-secret")},
            },
            {
                "metadata": {"name": "media-admin-bootstrap-credentials"},
                "stringData": {"username": "admin", "password": credential("operators-password")},
            },
        ],
        "apis/networking.k8s.io/v1:networkpolicies": [
            {
                "metadata": {"name": "media-baseline", "labels": SELECTOR},
                "spec": {"podSelector": {"matchLabels": SELECTOR}, "policyTypes": ["Ingress"]},
            }
        ],
        "apis/apps/v1:statefulsets": [_stateful_set()],
    }


def _port(name: str, port: int, target: int | None = None, protocol: str = "TCP") -> dict[str, Any]:
    return {"name": name, "port": port, "targetPort": target or port, "protocol": protocol}


_NFS_PORTS = [
    _port("adapter-nfs", 12049),
    _port("portmap", 111, 10111),
    _port("portmap-udp", 111, 10111, "UDP"),
    _port("adapter-nfs-udp", 12049, protocol="UDP"),
    _port("mdns", 5353, protocol="UDP"),
]
_SMB_PORTS = [
    _port("adapter-smb", 12445),
    _port("mdns", 5353, protocol="UDP"),
    _port("wsd", 3702, protocol="UDP"),
    _port("wsd-meta", 5357),
]


def service(name: str, ports: Sequence[Mapping[str, Any]], **spec: object) -> dict[str, Any]:
    """A Service in front of the server."""
    return {
        "metadata": {"name": name, "labels": dict(SELECTOR)},
        "spec": {"selector": SELECTOR, "ports": list(ports), **spec},
    }


def _adapter_service(adapter: str, ports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    made = service(f"media-adapter-{adapter}", ports, type="LoadBalancer")
    made["metadata"]["labels"] |= {"dittofs.io/adapter-service": "true", "dittofs.io/adapter-type": adapter}
    return made


def _stateful_set() -> dict[str, Any]:
    container = {
        "name": "dittofs",
        "image": "marmos91c/dittofs:latest",
        "command": ["/app/dfs"],
        "args": ["start", "--foreground", "--config", "/config/config.yaml"],
        "env": [
            _from_secret("DITTOFS_CONTROLPLANE_SECRET", "media-jwt-secret", "jwt-secret"),
            _from_secret("DITTOFS_ADMIN_INITIAL_PASSWORD", "media-admin-bootstrap-credentials", "password"),
            {"name": "DATABASE_URL", "value": ""},
        ],
        "ports": [{"name": "api", "containerPort": 8080, "protocol": "TCP"}],
    }
    return {
        "metadata": {"name": "media", "labels": SELECTOR},
        "spec": {
            "replicas": 1,
            "serviceName": "media-headless",
            "selector": {"matchLabels": SELECTOR},
            "template": {"metadata": {"labels": SELECTOR}, "spec": {"containers": [container]}},
            "volumeClaimTemplates": [_claim("metadata", "10Gi"), _claim("controlplane", "1Gi")],
        },
    }


def _from_secret(name: str, secret: str, key: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def _claim(name: str, size: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
    }
