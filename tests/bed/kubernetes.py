"""A real Kubernetes API on loopback: etcd and kube-apiserver, nothing that acts on objects.

Without a controller-manager no Pods or endpoints appear and namespaces never finish terminating, so every
test takes a namespace of its own and leaves it.
"""

import base64
import secrets
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.bed.process import BedError, Server, free_ports
from tests.bed.tools import ETCD, KUBE_APISERVER, KUBERNETES_TOOL

READY_SECONDS = 60.0
"""It takes three or four on an idle machine."""

_ATTEMPTS = 3
_POLL_SECONDS = 0.05


class KubernetesApi:
    """An API server for the length of a `with` block."""

    # Its accounts are made by the controller-manager, and there is none.
    _apiserver_options: tuple[str, ...] = ("--disable-admission-plugins=ServiceAccount",)

    def __init__(self, binaries: Path, directory: Path) -> None:
        self._etcd = KUBERNETES_TOOL.binary(binaries, ETCD)
        self._apiserver = KUBERNETES_TOOL.binary(binaries, KUBE_APISERVER)
        self._directory = directory
        self._token = secrets.token_hex(16)
        self._running = ExitStack()
        self.url = ""
        self.kubeconfig = directory / "kubeconfig"
        self.ca_file = directory / "certificates" / "apiserver.crt"

    def __enter__(self) -> Self:
        self._directory.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._start()
            except BedError as error:
                self._running.close()
                # A free port may be taken by somebody else before the server binds it.
                if attempt == _ATTEMPTS or "address already in use" not in str(error):
                    raise
            except BaseException:
                self._running.close()
                raise
            else:
                break
        self.kubeconfig.write_text(self.kubeconfig_of(self._token))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running.close()

    def client(self) -> httpx.Client:
        """A client that may do everything."""
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self._token}"},
            verify=ssl.create_default_context(cafile=str(self.ca_file)),
            # A proxy of this machine has no business between two processes of it.
            trust_env=False,
        )

    def namespace(self) -> str:
        """Create a fresh namespace and return its name."""
        name = f"test-{secrets.token_hex(4)}"
        with self.client() as client:
            client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
        return name

    def kubeconfig_of(self, token: str) -> str:
        """The text of a kubeconfig for whoever has this token."""
        name = "bed"
        # The certificate itself and not its path: a kubeconfig is also handed around as text.
        authority = base64.b64encode(self.ca_file.read_bytes()).decode()
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [
                {"name": name, "cluster": {"server": self.url, "certificate-authority-data": authority}}
            ],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
        return yaml.safe_dump(content)

    def kubeconfig_with(self, namespace: str, *rules: Mapping[str, Any]) -> str:
        """The text of a kubeconfig for somebody who may do what these rules of a Role say, and no more."""
        name = f"somebody-{secrets.token_hex(4)}"
        within = f"namespaces/{namespace}"
        roles = f"/apis/rbac.authorization.k8s.io/v1/{within}"
        subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
        metadata = {"metadata": {"name": name}}
        with self.client() as client:

            def create(path: str, body: Mapping[str, object]) -> dict[str, Any]:
                return dict(client.post(path, json=body).raise_for_status().json())

            create(f"/api/v1/{within}/serviceaccounts", metadata)
            create(f"{roles}/roles", {**metadata, "rules": rules})
            create(f"{roles}/rolebindings", {**metadata, "subjects": [subject], "roleRef": role})
            made = create(f"/api/v1/{within}/serviceaccounts/{name}/token", {"spec": {}})
        self.wait_until_allowed(f"system:serviceaccount:{namespace}:{name}", namespace, rules)
        return self.kubeconfig_of(made["status"]["token"])

    def wait_until_allowed(self, user: str, namespace: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Return once the API server knows what it was told: it learns of Roles in its own time."""
        deadline = time.monotonic() + READY_SECONDS
        with self.client() as client:
            for asked in (a for rule in rules for a in _attributes(namespace, rule)):
                review = {"spec": {"user": user, "resourceAttributes": asked}}
                path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
                while not client.post(path, json=review).raise_for_status().json()["status"]["allowed"]:
                    if time.monotonic() > deadline:
                        raise BedError(f"{user} was not allowed {asked} within {READY_SECONDS:g} s")
                    time.sleep(_POLL_SECONDS)

    def _start(self) -> None:
        client_port, peer_port, secure_port = free_ports(3)
        etcd_url = f"http://127.0.0.1:{client_port}"
        etcd = self._serve("etcd", _etcd_command(self._etcd, self._directory, etcd_url, peer_port))
        etcd.wait_until(lambda: _answers(f"{etcd_url}/readyz"), READY_SECONDS)

        self.url = f"https://127.0.0.1:{secure_port}"
        _write_identities(self._directory, self._token)
        command = [
            *_apiserver_command(self._apiserver, self._directory, etcd_url, secure_port),
            *self._apiserver_options,
        ]
        self._serve("kube-apiserver", command).wait_until(self._ready, READY_SECONDS)

    def _serve(self, name: str, command: list[str]) -> Server:
        server = Server(name, command, self._directory / f"{name}.log")
        self._running.callback(server.stop)
        return server

    def _ready(self) -> bool:
        if not self.ca_file.exists():
            return False
        try:
            with self.client() as client:
                return client.get("/readyz").status_code == httpx.codes.OK
        # The certificate may be half written, or an earlier attempt's.
        except (httpx.TransportError, ssl.SSLError):
            return False


def _attributes(namespace: str, rule: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    names = rule.get("resourceNames") or [""]
    for group, resource, verb, name in product(rule["apiGroups"], rule["resources"], rule["verbs"], names):
        kind, _, part = resource.partition("/")
        asked = {"group": group, "resource": kind, "subresource": part, "verb": verb, "name": name}
        yield {"namespace": namespace, **asked}


def _etcd_command(binary: Path, directory: Path, client_url: str, peer_port: int) -> list[str]:
    peer_url = f"http://127.0.0.1:{peer_port}"
    return [
        str(binary),
        f"--data-dir={directory / 'etcd'}",
        "--unsafe-no-fsync",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
    ]


def _apiserver_command(binary: Path, directory: Path, etcd_url: str, secure_port: int) -> list[str]:
    key = directory / "sa.key"
    return [
        str(binary),
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={secure_port}",
        f"--cert-dir={directory / 'certificates'}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--token-auth-file={directory / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--allow-privileged=true",
    ]


def _write_identities(directory: Path, token: str) -> None:
    (directory / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n")
    key = ec.generate_private_key(ec.SECP256R1())
    # In this format, and not in PKCS #8, the file serves as the public key too.
    (directory / "sa.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
