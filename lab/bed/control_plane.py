"""Starts a Kubernetes API on loopback: etcd and kube-apiserver, without controllers.

Without a controller-manager no Pods or endpoints appear and namespaces never finish terminating.
"""

import ssl
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from lab.bed.credentials import credential
from lab.bed.kubernetes import READY_SECONDS, KubernetesApi
from lab.bed.process import BedError, Server, free_ports
from lab.bed.tools import ETCD, KUBE_APISERVER, KUBERNETES_TOOL

_ATTEMPTS = 3


class ControlPlane:
    """An API server for the length of a `with` block."""

    # Accounts are made, and objects that are deleted in the foreground are finished off, by the
    # controller-manager, and there is none.
    _apiserver_options: tuple[str, ...] = (
        "--disable-admission-plugins=ServiceAccount",
        "--enable-garbage-collector=false",
    )

    def __init__(self, binaries: Path, directory: Path) -> None:
        self._etcd = KUBERNETES_TOOL.binary(binaries, ETCD)
        self._apiserver = KUBERNETES_TOOL.binary(binaries, KUBE_APISERVER)
        self._directory = directory
        self._running = ExitStack()

    def __enter__(self) -> KubernetesApi:
        self._directory.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                api = self._start()
            except BedError as error:
                self._running.close()
                # A free port may be taken by another program before the server binds it.
                if attempt == _ATTEMPTS or "address already in use" not in str(error):
                    raise
            except BaseException:
                self._running.close()
                raise
            else:
                break
        api.kubeconfig.write_text(api.kubeconfig_of(api.token))
        return api

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running.close()

    def _start(self) -> KubernetesApi:
        client_port, peer_port, secure_port = free_ports(3)
        etcd_url = f"http://127.0.0.1:{client_port}"
        etcd = self._serve("etcd", _etcd_command(self._etcd, self._directory, etcd_url, peer_port))
        etcd.wait_until(lambda: _answers(f"{etcd_url}/readyz"), READY_SECONDS)

        api = KubernetesApi(f"https://127.0.0.1:{secure_port}", credential("kubernetes"), self._directory)
        _write_identities(self._directory, api.token)
        command = [
            *_apiserver_command(self._apiserver, self._directory, etcd_url, secure_port),
            *self._apiserver_options,
        ]
        self._serve("kube-apiserver", command).wait_until(lambda: _is_ready(api), READY_SECONDS)
        return api

    def _serve(self, name: str, command: list[str]) -> Server:
        server = Server(name, command, self._directory / f"{name}.log")
        self._running.callback(server.stop)
        return server


def _is_ready(api: KubernetesApi) -> bool:
    if not api.ca_file.exists():
        return False
    try:
        with api.client() as client:
            return client.get("/readyz").status_code == httpx.codes.OK
    # The certificate may be half written, or an earlier attempt's.
    except (httpx.TransportError, ssl.SSLError):
        return False


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
