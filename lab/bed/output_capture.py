"""Captures, in each test process, all reports and output of runs, and the credentials they use.

Tests look at a part of it; the scan at the end of the run searches all of it.
"""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import trustme

from dittoinfra.dittofs.text import Secrets
from dittoinfra.stacks.cli_process import InterruptibleCommand
from dittoinfra.stacks.recorder import Recorder
from dittoinfra.stacks.result import RunReport
from lab.bed.credentials import SHORTEST, noted
from lab.simulator.accounts import Account
from lab.simulator.tokens import TokenSigner

CAPTURED: Final = "captured"
"""A process's folder for it, in its own folder of temporary files."""

OUTPUT: Final = "output.txt"
STARTED: Final = "started.txt"

_OURS: Final = ("dittoinfra", "lab.demo", "lab.standin", "pulumi")
"""Programs that must keep secrets, by a word in what starts them; others are tests' own."""

_DECRYPTED: Final = ("--show-secrets", "config get ")
"""Words of CLI commands that print secrets in the clear, into a pipe that only the product reads."""


@contextmanager
def capture_output(folder: Path) -> Iterator[None]:
    """Write reports, output and command lines to files, and record the credentials used."""
    folder.mkdir(parents=True, exist_ok=True)
    said, started = folder / OUTPUT, folder / STARTED
    with pytest.MonkeyPatch.context() as patch:
        _capture_reports(patch, said)
        _capture_processes(patch, said, started)
        _note_credentials(patch)
        yield


def _capture_reports(patch: pytest.MonkeyPatch, said: Path) -> None:
    report = Recorder.report

    def captured(self: Recorder, *arguments: Any, **named: Any) -> RunReport:  # noqa: ANN401 - as they come
        made = report(self, *arguments, **named)
        _append(said, repr(made))
        return made

    patch.setattr(Recorder, "report", captured)


def _capture_processes(patch: pytest.MonkeyPatch, said: Path, started: Path) -> None:
    start, communicate = subprocess.Popen.__init__, subprocess.Popen.communicate
    run = InterruptibleCommand.run

    def captured_start(self: subprocess.Popen[Any], args: Any, *rest: Any, **named: Any) -> None:  # noqa: ANN401 - as they come
        _append(started, _words(args))
        start(self, args, *rest, **named)

    def captured_communicate(self: subprocess.Popen[Any], *rest: Any, **named: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as they come
        printed = communicate(self, *rest, **named)
        words = _words(self.args)
        if _is_captured(words):
            _append(said, *filter(None, printed))
        return printed

    def captured_run(self: InterruptibleCommand, args: list[str], *rest: Any, **named: Any) -> Any:  # noqa: ANN401 - as they come
        result = run(self, args, *rest, **named)
        if _is_captured(" ".join(["pulumi", *args])):
            _append(said, result.stdout, result.stderr)
        return result

    patch.setattr(subprocess.Popen, "__init__", captured_start)
    patch.setattr(subprocess.Popen, "communicate", captured_communicate)
    patch.setattr(InterruptibleCommand, "run", captured_run)


def _is_captured(words: str) -> bool:
    return any(ours in words for ours in _OURS) and not any(asked in words for asked in _DECRYPTED)


def _note_credentials(patch: pytest.MonkeyPatch) -> None:
    _after(
        patch,
        Account,
        "__init__",
        lambda account, _: _note(account.password, f"password of {account.username}"),
    )
    _after(patch, TokenSigner, "__init__", lambda signer, _: _note(signer.secret, "signing key"))
    _after(patch, TokenSigner, "sign", lambda _, token: _note(token, "token of a simulated server"))
    _after(
        patch,
        trustme.LeafCert,
        "__init__",
        lambda leaf, _: _note(leaf.private_key_pem.bytes().decode(), "TLS key"),
    )
    hide = Secrets.add

    def captured(self: Secrets, secret: str) -> None:
        # Passwords of tests are noted where they are made; tokens are made by servers.
        if secret.startswith("eyJ"):
            _note(secret, "token of a server")
        hide(self, secret)

    patch.setattr(Secrets, "add", captured)


def _after(patch: pytest.MonkeyPatch, kind: type, name: str, record: Callable[[Any, Any], None]) -> None:
    method = getattr(kind, name)

    def captured(self: object, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as they come
        result = method(self, *arguments, **named)
        record(self, result)
        return result

    patch.setattr(kind, name, captured)


def _note(secret: str, purpose: str) -> None:
    # A test of a password that is too short uses one that is too short to be looked for.
    if len(secret) >= SHORTEST:
        noted(secret, purpose)


def _words(args: object) -> str:
    return " ".join(map(str, args)) if isinstance(args, Sequence) and not isinstance(args, str) else str(args)


def _append(file: Path, *texts: str | bytes) -> None:
    for text in texts:
        with file.open("ab") as out:
            out.write((text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")) + b"\n")
