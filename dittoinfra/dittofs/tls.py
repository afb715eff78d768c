"""Trust and identity in TLS: the system's authorities, a CA bundle, a client certificate."""

import hashlib
import ssl
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dittoinfra.settings import Problem, SettingPath

_PEM_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
_PEM_BEGIN = "-----BEGIN "

_CA_BUNDLE = SettingPath(("api", "caBundle"))
_CERTIFICATE = SettingPath(("api", "clientCertificate"))
_KEY = SettingPath(("api", "clientKey"))


class TlsSettingError(ValueError):
    """A TLS setting that cannot be used: which, why, and what next."""

    def __init__(self, setting: SettingPath, why: str, next_step: str) -> None:
        self.problem = Problem(setting, f"{why}; {next_step}")
        super().__init__(str(self.problem))


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """Files of a client certificate, and a digest of what was in them: a renewed one is another one."""

    certificate: Path
    key: Path | None
    digest: str


def read_authorities(bundle: str, root: Path) -> str:
    """PEM text of a CA bundle that is given as text or as a file."""
    next_step = "give a PEM file, relative to the project's folder, or PEM text"
    inline = bundle.lstrip().startswith(_PEM_BEGIN)
    shown = "the PEM text" if inline else bundle
    pem = bundle if inline else _read(root / bundle, _CA_BUNDLE, shown, next_step).decode("latin-1")
    if _PEM_CERTIFICATE not in pem:
        raise TlsSettingError(_CA_BUNDLE, f"{shown} holds no PEM certificate", next_step)
    # Bundles may carry comments in any language; only the ASCII around them is PEM.
    pem = pem.encode("ascii", "replace").decode()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem)
    except ssl.SSLError as error:
        raise TlsSettingError(_CA_BUNDLE, f"{shown} is not valid PEM ({_reason(error)})", next_step) from None
    return pem


def read_client_certificate(certificate: str, key: str | None, root: Path) -> ClientCertificate:
    """A client certificate whose files are there, readable, and belong together."""
    certificate_step = "give the PEM file of a certificate, relative to the project's folder"
    key_step = "give the PEM file of an unencrypted private key, relative to the project's folder"
    certificate_pem = _read(root / certificate, _CERTIFICATE, certificate, certificate_step)
    if _PEM_CERTIFICATE.encode() not in certificate_pem:
        raise TlsSettingError(_CERTIFICATE, f"{certificate} holds no PEM certificate", certificate_step)
    if key is None:
        key_setting, key_shown, key_pem = _CERTIFICATE, certificate, certificate_pem
        key_step = "add the key to the file, or name its own file in api.clientKey"
    else:
        key_setting, key_shown = _KEY, key
        key_pem = _read(root / key, key_setting, key, key_step)
    if b"PRIVATE KEY-----" not in key_pem:
        raise TlsSettingError(key_setting, f"{key_shown} holds no PEM private key", key_step)
    files = ClientCertificate(
        root / certificate,
        root / key if key is not None else None,
        hashlib.sha256(certificate_pem + b"\0" + key_pem).hexdigest(),
    )
    try:
        _load(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), files)
    except _EncryptedKeyError:
        raise TlsSettingError(key_setting, f"the key in {key_shown} is encrypted", key_step) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            why = f"the key in {key_shown} does not belong to the certificate in {certificate}"
            raise TlsSettingError(
                key_setting, why, "give the key that the certificate was made for"
            ) from None
        why = f"{certificate} and its key cannot be loaded ({_reason(error)})"
        raise TlsSettingError(_CERTIFICATE, why, certificate_step) from None
    except OSError as error:
        # They existed a moment ago: a renewal replaces the files of a certificate one after the other.
        why = f"{certificate} and its key cannot be read ({error.strerror})"
        raise TlsSettingError(_CERTIFICATE, why, certificate_step) from None
    return files


# Reading the system's authorities takes tens of milliseconds: a hundred servers share one context.
@lru_cache(maxsize=64)
def tls_context(authorities: str | None, certificate: ClientCertificate | None) -> ssl.SSLContext:
    """A verifying context of the system's authorities, more of them, and our own certificate."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A bundle may hold the server's own certificate or an intermediate: every certificate in it is trusted.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if authorities is not None:
        context.load_verify_locations(cadata=authorities)
    if certificate is not None:
        _load(context, certificate)
    return context


@lru_cache(maxsize=1)
def untrusting_context() -> ssl.SSLContext:
    """A context for plain http, where none is used: a connection that needs one fails instead of trusting."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class _EncryptedKeyError(ValueError):
    """The key needs a passphrase, and OpenSSL would ask for it on the terminal."""


def _no_passphrase() -> str:
    raise _EncryptedKeyError


def _load(context: ssl.SSLContext, files: ClientCertificate) -> None:
    context.load_cert_chain(files.certificate, files.key, password=_no_passphrase)


def _read(path: Path, setting: SettingPath, shown: str, next_step: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TlsSettingError(setting, f"{shown} cannot be read ({error.strerror})", next_step) from None
    except ValueError:
        raise TlsSettingError(setting, "is no path", next_step) from None


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or "unknown reason").replace("_", " ").lower()
