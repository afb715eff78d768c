"""From a kubeconfig to a cluster, and one line when there is no way."""

import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme
import yaml

from dittoinfra.kubernetes import ApiResource, Cluster, ClusterError, connect
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from tests.unit.dittofs.bench import raw_server, read_request


def _kubeconfig(server: str, *, token: str) -> str:
    return yaml.safe_dump(
        {
            "current-context": "main",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [
                {"name": "main", "context": {"cluster": "c", "user": "u"}},
                {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "other-namespace"}},
            ],
        }
    )


TOKEN = credential("token")
GOOD = _kubeconfig("https://127.0.0.1:1", token=TOKEN)


def test_path_and_content_reach_the_same_cluster(kubernetes_api: KubernetesApi) -> None:
    for kubeconfig in (str(kubernetes_api.kubeconfig), kubernetes_api.kubeconfig.read_text()):
        with connect(kubeconfig) as cluster:
            assert (
                cluster.request("GET", "/api/v1/namespaces/default").json()["metadata"]["name"] == "default"
            )


def test_json_content_and_the_environment_do_too(
    kubernetes_api: KubernetesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.dumps(yaml.safe_load(kubernetes_api.kubeconfig.read_text()))
    with connect(content) as cluster:
        assert cluster.server == kubernetes_api.url

    monkeypatch.setenv("KUBECONFIG", str(kubernetes_api.kubeconfig))
    with connect() as cluster:
        assert cluster.server == kubernetes_api.url


def test_kinds_are_discovered(cluster: Cluster) -> None:
    assert cluster.resource("v1", "Service") == ApiResource(plural="services", namespaced=True)
    assert cluster.resource("v1", "Namespace") == ApiResource(plural="namespaces", namespaced=False)
    assert cluster.resource("networking.k8s.io/v1", "NetworkPolicy") == ApiResource("networkpolicies", True)
    assert cluster.resource("v1", "Nonsense") is None
    assert cluster.resource("nobody.example/v1", "Nonsense") is None


def test_the_context_asked_for_decides_cluster_and_namespace(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(_kubeconfig("https://127.0.0.1:1", token="t"))

    with connect(str(kubeconfig)) as cluster:
        assert cluster.namespace == "default"
    with connect(str(kubeconfig), "other") as cluster:
        assert cluster.namespace == "other-namespace"


@pytest.mark.parametrize(
    ("kubeconfig", "context", "message"),
    [
        ("/nowhere/kubeconfig", None, "kubeconfig /nowhere/kubeconfig is not a file; name an existing file"),
        (f"users:\n- token: '{TOKEN}\n", None, "kubeconfig content is not YAML (line "),
        (f'{{"token": "{TOKEN}"}}', None, "kubeconfig content has no clusters"),
        (GOOD, "missing", "no Kubernetes credentials: No such context missing; check the kubeconfig"),
    ],
    ids=["no file", "no YAML", "no clusters", "no context"],
)
def test_a_bad_kubeconfig_is_one_line_without_its_secrets(
    kubeconfig: str, context: str | None, message: str
) -> None:
    with pytest.raises(ClusterError) as caught:
        connect(kubeconfig, context)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_an_inline_private_key_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pair = trustme.CA().issue_cert("client.example")
    user = {
        "client-certificate-data": pair.cert_chain_pems[0].bytes().decode(),
        "client-key-data": pair.private_key_pem.bytes().decode(),
    }

    connect(yaml.safe_dump(yaml.safe_load(GOOD) | {"users": [{"name": "u", "user": user}]})).close()

    assert not [path for path in tmp_path.iterdir() if "PRIVATE KEY" in path.read_text()]


def test_a_cluster_that_is_away_is_one_line(free_port: int) -> None:
    away = _kubeconfig(f"http://127.0.0.1:{free_port}", token="t")
    with connect(away) as cluster, pytest.raises(ClusterError) as caught:
        cluster.request("GET", "/api/v1")

    assert f"no answer from the Kubernetes API at http://127.0.0.1:{free_port}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_expired_token_is_read_again(tmp_path: Path, tokens: "TokenServer") -> None:
    # given a connection whose token then changes on both sides
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(_kubeconfig(tokens.url, token=tokens.accepted))
    with connect(str(kubeconfig)) as cluster:
        assert cluster.request("GET", "/api/v1").status_code == 200
        tokens.accepted = credential("new")
        kubeconfig.write_text(_kubeconfig(tokens.url, token=tokens.accepted))

        # when it is used again, it is not refused
        assert cluster.request("GET", "/api/v1").status_code == 200

        # and a token that is not accepted is an answer like any other
        tokens.accepted = credential("newest")
        assert cluster.request("GET", "/api/v1").status_code == 401


class TokenServer(ThreadingHTTPServer):
    """An API that knows one thing: whose token it accepts."""

    accepted = credential("old")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _TokenHandler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_GET(self) -> None:
        accepted = self.headers["Authorization"] == f"Bearer {self.server.accepted}"
        self.send_response(200 if accepted else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


@pytest.fixture
def tokens() -> Iterator[TokenServer]:
    with TokenServer(("127.0.0.1", 0), _TokenHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def free_port() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port


@pytest.mark.parametrize(("method", "asked"), [("GET", 2), ("PATCH", 2), ("DELETE", 2), ("POST", 1)])
def test_a_connection_that_breaks_is_tried_again_where_saying_it_twice_is_the_same(
    method: str, asked: int
) -> None:
    requests: list[bytes] = []

    def hang_up_once(connection: socket.socket) -> None:
        requests.append(read_request(connection))
        if len(requests) > 1:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with raw_server(hang_up_once) as url, connect(_kubeconfig(url, token=TOKEN)) as cluster:
        if asked > 1:
            assert cluster.request(method, "/readyz").is_success
        else:
            with pytest.raises(ClusterError, match="no answer from the Kubernetes API"):
                cluster.request(method, "/readyz")

    assert len(requests) == asked
