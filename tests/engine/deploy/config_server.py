"""The real server, started from exactly what is rendered for it."""

import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from dittoinfra.decide.config_file import config_yaml
from dittoinfra.decide.pod import CONFIG_FILE, Mount, mounts, secret_variables
from dittoinfra.settings import Deploy, ServerSettings
from lab.bed.credential_files import holds_credentials
from lab.bed.default_ports import default_ports
from lab.bed.process import Server, start_on_free_port
from tests.engine.deploy.config import HELD, PASSWORD, Secrets, deployed, filled

READY_SECONDS = 60.0
IGNORED = "unknown keys"
"""What the server says about a configuration that it does not read."""


@dataclass(frozen=True)
class Container:
    """What the kubelet would give to the server's container, below a folder instead of the root."""

    root: Path
    server: ServerSettings
    deploy: Deploy
    secrets: Secrets

    @property
    def config_file(self) -> Path:
        """Where the configuration is."""
        return self.inside(CONFIG_FILE)

    @property
    def environment(self) -> dict[str, str]:
        """The container's variables, and what every process on this machine needs."""
        machine = {"PATH": os.environ["PATH"], "HOME": str(self.root)}
        return machine | filled(self.server, self.deploy, self.secrets)

    def inside(self, path: str) -> Path:
        """A path of the container on this machine."""
        return self.root / path.removeprefix("/")

    def mount(self) -> None:
        """Write every mounted file; in the configuration only the beginnings of paths are others."""
        text = config_yaml(self.server, self.deploy)
        for mount in mounts(self.server, self.deploy):
            self.inside(mount.path).mkdir(parents=True, exist_ok=True)
            self._write(mount, text)
            text = text.replace(f" {mount.path}/", f" {self.inside(mount.path)}/")
        self.config_file.write_text(text.replace(" /data/", f" {self.inside('/data/')}/"))

    def _write(self, mount: Mount, config: str) -> None:
        source = self.secrets[mount.secret] if mount.secret else {"config.yaml": config}
        for key, file in mount.files.items():
            path = self.inside(f"{mount.path}/{file}")
            # Keytabs are no text; their bytes are written one to one.
            path.write_bytes(source[key].encode("latin-1"))
            if mount.secret:
                holds_credentials(path, "a Secret, mounted as the kubelet does")


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    url: str
    process: Server
    client: httpx.Client

    def login(self, password: str = PASSWORD) -> dict[str, Any]:
        """What the API says to its administrator."""
        answer = self.client.post("/api/v1/auth/login", json={"username": "admin", "password": password})
        assert answer.status_code == httpx.codes.OK, answer.text
        return dict(answer.json())


def container(root: Path, deploy: Mapping[str, Any], secrets: Secrets | None = None) -> Container:
    """A container with everything mounted."""
    made = Container(root, *deployed(**deploy), HELD | (secrets or {}))
    made.mount()
    return made


@contextmanager
def started(
    binary: Path,
    root: Path,
    deploy: Mapping[str, Any],
    secrets: Secrets | None = None,
    *,
    trust: ssl.SSLContext | None = None,
) -> Iterator[Running]:
    """A server on a port of its own, ready to answer, for the length of a `with` block."""
    verify: ssl.SSLContext | bool = trust or False

    def launch(port: int) -> Server:
        client.base_url = httpx.URL(f"{'https' if trust else 'http'}://127.0.0.1:{port}")
        made = container(root, {**deploy, "api": {**deploy.get("api", {}), "port": port}}, secrets)
        command: list[str | Path] = [binary, "start", "--foreground", "--config", made.config_file]
        return Server("dfs", command, root / "dfs.log", environment=made.environment)

    # Its adapters are where every first start puts them.
    with default_ports(), httpx.Client(verify=verify, trust_env=False, timeout=30) as client:
        process = start_on_free_port(launch, partial(answers, client), READY_SECONDS)
        try:
            assert IGNORED not in process.output, "the server does not read all of its configuration"
            yield Running(str(client.base_url).rstrip("/"), process, client)
        finally:
            process.stop()


def answers(client: httpx.Client) -> bool:
    """Whether the server is ready."""
    try:
        return client.get("/health/ready").is_success
    except httpx.TransportError:
        return False


def variable_names(made: Container) -> list[str]:
    """Every variable that the server is given."""
    return [variable.name for variable in secret_variables(made.server, made.deploy)]
