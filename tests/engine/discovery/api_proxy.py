"""A proxy to a real Kubernetes API that can break single responses."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import yaml
from typing_extensions import override

from lab.bed.kubernetes import KubernetesApi

Fault = Callable[[httpx.URL], tuple[int, str] | None]
"""Status and body to give instead of the API's answer; None lets that through."""


@dataclass
class ApiProxy:
    """The proxy, and the requests it received."""

    kubeconfig: Path
    fault: Fault = lambda _: None
    asked: list[httpx.URL] = field(default_factory=list)

    def break_listing(
        self, resource: str, status: int, body: str = "{}", *, later_pages: bool = False
    ) -> None:
        """Answer every listing of a resource like this, or only its later pages."""

        def fault(url: httpx.URL) -> tuple[int, str] | None:
            if not url.path.endswith(f"/{resource}") or (later_pages and "continue" not in url.params):
                return None
            return status, body

        self.fault = fault

    def restore(self) -> None:
        """Forward everything again."""
        self.fault = lambda _: None


@contextmanager
def api_proxy(api: KubernetesApi, kubeconfig: Path) -> Iterator[ApiProxy]:
    """A running proxy, with the kubeconfig to use it."""
    proxy = ApiProxy(kubeconfig)
    with api.client() as client:

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = httpx.URL(self.path)
                proxy.asked.append(url)
                answer = proxy.fault(url)
                if answer is None:
                    real = client.get(self.path, headers={"Accept": self.headers.get("Accept", "*/*")})
                    answer = real.status_code, real.text
                status, body = answer
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body.encode())

            @override
            def log_message(self, format: str, *args: object) -> None:
                return

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            url = f"http://127.0.0.1:{server.server_port}"
            kubeconfig.write_text(kubeconfig_for(url))
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            try:
                yield proxy
            finally:
                server.shutdown()
                thread.join()


def kubeconfig_for(url: str, user: dict[str, str] | None = None, authority: str | None = None) -> str:
    """The content of a kubeconfig."""
    cluster = {"server": url} | ({"certificate-authority-data": authority} if authority else {})
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "it",
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": "it", "user": user or {}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        }
    )
