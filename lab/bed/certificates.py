"""Certificates for an HTTPS API and its clients."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True)
class Tls:
    """Certificate files of an HTTPS API; with `client_ca` it requires client certificates."""

    cert_file: Path
    key_file: Path
    ca_file: Path
    client_ca: Path | None = None
    client_cert: tuple[Path, Path] | None = None

    def server_options(self) -> Mapping[str, str]:
        options = {"cert_file": self.cert_file, "key_file": self.key_file, "client_ca": self.client_ca}
        return {name: str(path) for name, path in options.items() if path}

    def server_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self.client_ca)
        context.load_cert_chain(self.cert_file, self.key_file)
        if self.client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.ca_file))
        if self.client_cert:
            context.load_cert_chain(*map(str, self.client_cert))
        return context


def issue(authority: trustme.CA, directory: Path, *, mutual: bool = False) -> Tls:
    """Issue certificates for a server on loopback and, if `mutual`, for its client."""
    directory.mkdir(parents=True, exist_ok=True)
    ca_file = directory / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))

    def pair(name: str, identity: str) -> tuple[Path, Path]:
        issued = authority.issue_cert(identity)
        cert_file, key_file = directory / f"{name}.pem", directory / f"{name}.key"
        issued.private_key_pem.write_to_path(str(key_file))
        cert_file.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        return cert_file, key_file

    server = pair("server", "127.0.0.1")
    if not mutual:
        return Tls(*server, ca_file)
    return Tls(*server, ca_file, client_ca=ca_file, client_cert=pair("client", "client@example.org"))
