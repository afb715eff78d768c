"""A real PostgreSQL on loopback that accepts TLS only, like Percona's."""

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import trustme

from lab.bed.debian import find_or_install
from lab.bed.process import BedError, Server, start_on_free_port

READY_SECONDS: Final = 60.0
_DEBIAN: Final = Path("/usr/lib/postgresql")
_HBA: Final = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


def find_postgres() -> Path:
    """The folder of PostgreSQL's programs."""
    return find_or_install("PostgreSQL server", "postgresql", _found)


def _found() -> Path | None:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


class PostgresServer:
    """A server for the length of a `with` block; each test uses its own database."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # It refuses to run as root, and other users may not enter the folders of root's tests.
        self._user = _unprivileged()
        self._directory = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._running = ExitStack()
        self._authority = trustme.CA()
        self.port = 0

    @property
    def ca_pem(self) -> str:
        """The certificate of its CA."""
        return self._authority.cert_pem.bytes().decode()

    def __enter__(self) -> Self:
        self._running.callback(shutil.rmtree, self._directory, ignore_errors=True)
        try:
            self._prepare()
            self._start()
        except BaseException:
            self._running.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def database(self) -> str:
        """A new name for a database and its user."""
        return f"test_{secrets.token_hex(4)}"

    def run(self, sql: str, database: str = "postgres") -> str:
        """Run SQL as an administrator; returns the output as plain text."""
        command: list[str | Path] = [
            *(self._programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"),
            *("-h", self._directory, "-p", str(self.port), "-U", "postgres", "-d", database),
            *("-v", "ON_ERROR_STOP=1", "-f", "-"),
        ]
        # Passwords are among what it says, and everybody on the machine can read arguments.
        done = subprocess.run(command, input=sql, capture_output=True, text=True)
        if done.returncode:
            raise BedError(f"PostgreSQL refuses {sql!r}: {done.stderr.strip()}")
        return done.stdout.strip()

    def _prepare(self) -> None:
        certificate = self._authority.issue_cert("127.0.0.1", "localhost")
        key, chain = self._directory / "server.key", self._directory / "server.crt"
        certificate.private_key_pem.write_to_path(str(key))
        certificate.cert_chain_pems[0].write_to_path(str(chain))
        hba = self._directory / "hba.conf"
        hba.write_text(_HBA)
        key.chmod(0o600)
        for path in (self._directory, key, chain, hba):
            if self._user:
                shutil.chown(path, self._user)
        # Others may look for the socket in it.
        self._directory.chmod(0o755)
        command: list[str | Path] = [
            self._programs / "initdb",
            "-D",
            self._directory / "data",
            "-U",
            "postgres",
            "-A",
            "trust",
        ]
        made = subprocess.run(
            [*command, "--no-sync"], user=self._user, cwd=self._directory, capture_output=True, text=True
        )
        if made.returncode:
            raise BedError(f"PostgreSQL cannot make a database: {made.stderr.strip()}")

    def _start(self) -> None:
        server = start_on_free_port(self._launch, self._answers, READY_SECONDS)
        self._running.callback(server.stop)

    def _launch(self, port: int) -> Server:
        self.port = port
        return Server("postgres", self._command(), self._directory / "postgres.log", user=self._user)

    def _command(self) -> list[str | Path]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self._directory,
            "hba_file": self._directory / "hba.conf",
            "ssl": "on",
            "ssl_cert_file": self._directory / "server.crt",
            "ssl_key_file": self._directory / "server.key",
            "password_encryption": "scram-sha-256",
            "fsync": "off",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [self._programs / "postgres", "-D", self._directory / "data", *options]

    def _answers(self) -> bool:
        try:
            return self.run("select 1") == "1"
        except BedError:
            return False


def _unprivileged() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)
