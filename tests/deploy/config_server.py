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

from dittoinfra.decide.server_config import CONFIG_FILE, Mount, config_yaml, environment, mounts
from dittoinfra.settings import Deploy, ServerSettings
from tests.bed.places import holds_credentials
from tests.bed.process import BedError, Server, free_ports
from tests.deploy.config import HELD, PASSWORD, Secrets, deployed, filled

READY_SECONDS = 60.0
IGNORED = "unknown keys"
"""What the server says about a configuration that it does not read."""

_ATTEMPTS = 3


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
        for item in mount.items:
            path = self.inside(f"{mount.path}/{item.path}")
            # Keytabs are no text; their bytes are written one to one.
            path.write_bytes(source[item.key].encode("latin-1"))
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
    for attempt in range(1, _ATTEMPTS + 1):
        [port] = free_ports(1)
        api = {**deploy.get("api", {}), "port": port}
        made = container(root, {**deploy, "api": api}, secrets)
        command: list[str | Path] = [binary, "start", "--foreground", "--config", made.config_file]
        process = Server("dfs", command, root / "dfs.log", environment=made.environment)
        url = f"{'https' if trust else 'http'}://127.0.0.1:{port}"
        with httpx.Client(base_url=url, verify=trust or False, trust_env=False, timeout=30) as client:
            try:
                process.wait_until(partial(_ready, client), READY_SECONDS)
            except BedError as error:
                process.stop()
                # A free port may be taken by somebody else before the server binds it.
                if attempt == _ATTEMPTS or "address already in use" not in str(error):
                    raise
                continue
            try:
                assert IGNORED not in process.output, "the server does not read all of its configuration"
                yield Running(url, process, client)
            finally:
                process.stop()
            return


def _ready(client: httpx.Client) -> bool:
    try:
        return client.get("/health/ready").is_success
    except httpx.TransportError:
        return False


def variable_names(made: Container) -> list[str]:
    """Every variable that the server is given."""
    return [variable.name for variable in environment(made.server, made.deploy)]
