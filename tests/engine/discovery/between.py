"""A real Kubernetes API seen through somebody who can break single answers, as networks and proxies do."""

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
class Between:
    """What a run sees of the API."""

    kubeconfig: Path
    fault: Fault = lambda _: None
    asked: list[httpx.URL] = field(default_factory=list)

    def breaks(self, resource: str, status: int, body: str = "{}", *, later_pages: bool = False) -> None:
        """Answer every listing of a resource so, or only those of its second and later pages."""

        def fault(url: httpx.URL) -> tuple[int, str] | None:
            if not url.path.endswith(f"/{resource}") or (later_pages and "continue" not in url.params):
                return None
            return status, body

        self.fault = fault

    def heals(self) -> None:
        """Everything is let through again."""
        self.fault = lambda _: None


@contextmanager
def standing_between(api: KubernetesApi, kubeconfig: Path) -> Iterator[Between]:
    """A way to the API that can be broken, and the kubeconfig of whoever goes it."""
    between = Between(kubeconfig)
    with api.client() as client:

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = httpx.URL(self.path)
                between.asked.append(url)
                answer = between.fault(url)
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
                yield between
            finally:
                server.shutdown()
                thread.join()


def kubeconfig_for(url: str, user: dict[str, str] | None = None, authority: str | None = None) -> str:
    """A kubeconfig's content."""
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
