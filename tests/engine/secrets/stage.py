"""A stack that gets a credential in every supported way, run with a verbose engine."""

import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import trustme
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from lab.bed.certificates import Tls, issue
from lab.bed.credential_files import files
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.bed.leaks import Leak, Search
from lab.bed.objects import dump
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore, FailOn, StandInProvider
from tests.engine.cli.fleet_bed import PASSPHRASE, PASSWORD, Fleet, fleet
from tests.engine.secrets.engine import LOGS
from tests.engine.secrets.verbose_cli import found_first, verbose_cli
from tests.engine.world import PASSWORD_ENV

STACK = "prod"
USERNAME = "admin"
PRINTED = "printed.txt"
WAYS = ("by-env", "by-config", "by-secret", "by-key", "deployed")
"""The servers of the stack, each called after how its password, or its key, comes to us."""


@dataclass(frozen=True)
class Given:
    """The credentials of the stack, by purpose."""

    by_env: str = PASSWORD
    by_config: str = ""
    by_secret: str = ""
    by_key: str = ""
    administrator: str = ""
    jwt: str = ""
    postgres: str = ""
    proxy: str = ""
    passphrase: str = PASSPHRASE
    key: str = ""
    """The private half of our client certificate."""
    kubernetes: str = ""


@dataclass
class Stage:
    """The project, its five servers, and all output and files."""

    project: Fleet
    api: KubernetesApi
    client: httpx.Client
    namespace: str
    servers: Mapping[str, SimulatedDittoFS]
    given: Given = field(repr=False)
    tls: Tls

    @property
    def root(self) -> Path:
        """The folder that everything is written to."""
        return self.project.root

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the command and keep its output."""
        temporary = self.root / "tmp"
        temporary.mkdir(exist_ok=True)
        proxy = f"http://somebody:{self.given.proxy}@127.0.0.1:1"
        surroundings = {
            "KUBECONFIG": str(self.api.kubeconfig),
            "TMPDIR": str(temporary),
            "PATH": found_first(self.root),
            # For others: our own clients do not use it, and the engine talks to loopback.
            "HTTPS_PROXY": proxy,
            "HTTP_PROXY": proxy,
            "NO_PROXY": "127.0.0.1,localhost",
        }
        done = self.project.run(*arguments, environment={**surroundings, **environment})
        with (self.root / PRINTED).open("a") as printed:
            printed.write(f"$ dittoinfra {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done

    def must(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the command, which must succeed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done

    def configure(self) -> None:
        """Write the stack's file and encrypt its secrets."""
        api = {"username": USERNAME, "deadline": "5s", "requestTimeout": "2s"}
        ways: dict[str, dict[str, Any]] = {
            "by-env": {"passwordEnv": PASSWORD_ENV},
            "by-config": {},
            "by-secret": {"passwordSecret": {"name": "by-secret-login", "key": "password"}},
            "by-key": {
                "caBundle": "tls/ca.pem",
                "clientCertificate": "tls/client.pem",
                "clientKey": "tls/client.key",
            },
            "deployed": {},
        }
        blocks = [
            {"name": name, "namespace": self.namespace, "api": {**api, **way, "url": self.servers[name].url}}
            for name, way in ways.items()
        ]
        blocks[-1]["deploy"] = {"database": {"postgres": {"secret": "deployed-database"}}}
        self.project.add_stack(STACK, *blocks)
        assert self.project.pulumi("stack", "init", STACK).returncode == 0
        secrets = {
            "passwords.by-config": self.given.by_config,
            "passwords.by-key": self.given.by_key,
            "passwords.deployed": self.given.administrator,
            "serverSecrets.deployed.jwt": self.given.jwt,
            "serverSecrets.deployed.adminPassword": self.given.administrator,
        }
        for key, value in secrets.items():
            self.encrypt(key, value)

    def encrypt(self, key: str, value: str) -> None:
        """Encrypt a value through standard input."""
        flags = ("--secret", "--path", "--stack", STACK)
        done = self.project.pulumi("config", "set", f"dittoinfra:{key}", *flags, given=value)
        assert done.returncode == 0, done.stderr

    @property
    def credentials(self) -> dict[str, str]:
        """The credentials of the stack, with their purpose."""
        return {value: name for name, value in vars(self.given).items()}

    @property
    def printed(self) -> str:
        """The output of all commands."""
        return (self.root / PRINTED).read_text()

    def leaks(self, *more: str) -> dict[str, set[Leak]]:
        """Every credential in a file or in an object of the namespace, by place.

        The key is an input, and the engine's own logs are checked separately.
        """
        search = Search(self.credentials | dict.fromkeys(more, "another credential"))
        meant = {self.root / "tls", self.root / LOGS}
        written = (path for path in files(self.root) if meant.isdisjoint(path.parents))
        found: dict[str, set[Leak]] = {}
        for place, text in (*((str(path), path.read_bytes()) for path in written), *self.objects()):
            for leak in search.leaks(text):
                found.setdefault(place, set()).add(leak)
        return found

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """All objects of the namespace except Secrets."""
        return ((name, text) for name, text in dump(self.client) if f" {self.namespace}/" in name)


@contextmanager
def stage(
    root: Path,
    cli: PulumiCommand,
    api: KubernetesApi,
    *,
    fail_on: FailOn | None = None,
) -> Iterator[Stage]:
    """The configured stack; nothing has been run."""
    authority, namespace = trustme.CA(), api.namespace()
    with (
        connect(str(api.kubeconfig), None) as cluster,
        StandInProvider(ApiStore(cluster), fail_on=fail_on) as provider,
        fleet(root, verbose_cli(cli, root)) as project,
        api.client() as client,
        ExitStack() as life,
    ):
        project.provider = provider
        tls = issue(authority, root / "tls", mutual=True)
        assert tls.client_cert is not None
        given = Given(
            **{
                name: credential(name)
                for name in ("by_config", "by_secret", "by_key", "administrator", "proxy")
            },
            jwt=credential("signing-key"),
            postgres=credential("database"),
            key=tls.client_cert[1].read_text(),
            kubernetes=api.token,
        )
        passwords = (given.by_env, given.by_config, given.by_secret, given.by_key, given.administrator)
        servers = {
            name: life.enter_context(_server(password, tls.server_context() if name == "by-key" else None))
            for name, password in zip(WAYS, passwords, strict=True)
        }
        for name, values in {
            "by-secret-login": {"password": given.by_secret},
            "deployed-database": {
                "host": "db.example.com",
                "port": "5432",
                "database": "files",
                "user": "ditto",
                "password": given.postgres,
            },
        }.items():
            secret = {"metadata": {"name": name}, "stringData": values}
            client.post(f"/api/v1/namespaces/{namespace}/secrets", json=secret).raise_for_status()
        made = Stage(project, api, client, namespace, servers, given, tls)
        made.configure()
        yield made


@contextmanager
def _server(password: str, context: ssl.SSLContext | None) -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS(admin_password=password, tls=context) as server:
        server.disable("smb")
        yield server
