"""Files that may contain credentials, each with a reason; the scan of a run excludes only these."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from lab.bed.credentials import LEDGER

_PEM_BLOCK: Final = re.compile(r"-----BEGIN ([A-Z ]+)-----\n[A-Za-z0-9+/=\n]+-----END \1-----")

_LONGEST: Final = 100_000
"""Bytes of a file that may be a manifest or a kubeconfig: to read a state as YAML takes minutes."""

NAMED_FILES: Final = "credential-files"
"""Beside the ledger: what tests have said about files of their own."""


@dataclass(frozen=True, slots=True)
class CredentialFile:
    """Files that may contain credentials, by the end of their path."""

    pattern: str
    why: str


KNOWN_FILES: Final = (
    CredentialFile("tokens.csv", "the API server's own list of tokens"),
    CredentialFile("sa.key", "the API server signs tokens with it"),
    CredentialFile("apiserver.key", "the API server's own TLS key"),
    CredentialFile("kwok.key", "kwok's own TLS key"),
    CredentialFile("etcd/member/*/*", "the API server's own database, Secrets included"),
    CredentialFile("controlplane.db*", "the DittoFS server's own database"),
)
"""Of the real parts, which are given credentials to do their work."""


def holds_credentials(path: Path, why: str) -> Path:
    """Declare that a test's own input file may contain credentials, and return it."""
    assert why, "a place that may hold credentials needs a reason"
    ledger = os.environ.get(LEDGER)
    if ledger:
        with Path(ledger).with_name(NAMED_FILES).open("a") as file:
            file.write(f"{path.absolute()}\n")
    return path


def named_by_tests(ledger: Path) -> frozenset[Path]:
    """The files that tests have declared."""
    file = ledger.with_name(NAMED_FILES)
    return frozenset(map(Path, file.read_text().splitlines() if file.exists() else ()))


def files(root: Path) -> Iterator[Path]:
    """Every regular file below a folder; symbolic links are not followed."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = Path(folder) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def may_hold_credentials(path: Path, named: frozenset[Path]) -> bool:
    """Whether a file may contain credentials.

    Beside the known and the declared files these are manifests of Secrets only, kubeconfigs, and files with
    keys and certificates only.
    """
    if path in named or named.intersection(path.parents):
        return True
    if any(path.match(known.pattern) for known in KNOWN_FILES) or _is_pem(path):
        return True
    documents = _documents(path)
    return _are_secrets(documents) or _is_kubeconfig(documents)


def _documents(path: Path) -> list[object]:
    if path.stat().st_size > _LONGEST:
        return []
    try:
        return [document for document in yaml.safe_load_all(path.read_text()) if document]
    except (yaml.YAMLError, UnicodeDecodeError):
        return []


def _are_secrets(documents: list[object]) -> bool:
    return bool(documents) and all(isinstance(d, dict) and d.get("kind") == "Secret" for d in documents)


def _is_kubeconfig(documents: list[object]) -> bool:
    match documents:
        case [{"users": list(), "clusters": list(), **others}]:
            return others.keys() <= {"apiVersion", "kind", "contexts", "current-context"}
    return False


def _is_pem(path: Path) -> bool:
    if path.suffix not in {".key", ".pem"}:
        return False
    return not _PEM_BLOCK.sub("", path.read_text(errors="replace")).strip()
