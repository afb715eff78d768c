"""The audit, with the real pip-audit: a source that cannot be asked never looks like good news."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lab.gotools import PULUMI_TOOL
from tests.repository.supply import audit
from tests.repository.supply.audit import go_verdict, python_verdict
from tests.repository.supply.verdicts import Clean, Known, NotAsked, Verdict, exit_code, judged, told
from tools.locked import RUNTIME, pins

ADVISORY = {
    "id": "PYSEC-2026-1",
    "details": "",
    "affected": [
        {
            "package": {"name": "httpx", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
            "versions": [pins(RUNTIME.read_text())["httpx"].version],
        }
    ],
}


@contextmanager
def osv(status: int, body: str, of: str = "") -> Iterator[str]:
    """A source of advisories that says this about one package, and nothing about all others."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = (body if of in ("", asked["package"]["name"]) else "{}").encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file with two of our pins."""
    kept = [pin for name, pin in pins(RUNTIME.read_text()).items() if name in ("httpx", "idna")]
    path = tmp_path / "requirements.txt"
    path.write_text("".join(f"{pin.name}=={pin.version} {' '.join(sorted(pin.hashes))}\n" for pin in kept))
    return path


def test_nothing_known_is_said_of_what_was_asked(two: Path) -> None:
    with osv(200, "{}") as source:
        assert python_verdict(two, source) == Clean("2 packages")


def test_what_is_known_is_named_with_its_cure(two: Path) -> None:
    with osv(200, json.dumps({"vulns": [ADVISORY]}), of="httpx") as source:
        verdict = python_verdict(two, source)

    version = pins(RUNTIME.read_text())["httpx"].version
    assert verdict == Known((f"httpx {version}: PYSEC-2026-1, fixed in 99.1",))


@pytest.mark.parametrize(
    ("status", "body"), [(403, "no"), (404, "{}"), (500, ""), (200, "<html>"), (204, "")]
)
def test_a_source_that_does_not_answer_is_not_good_news(two: Path, status: int, body: str) -> None:
    with osv(status, body) as source:
        verdict = python_verdict(two, source)

    assert isinstance(verdict, NotAsked)
    [line] = told("requirements.txt", verdict)
    assert line.startswith("requirements.txt: NOT AUDITED: ")


def test_neither_is_one_that_is_not_reached(two: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        verdict = python_verdict(two, f"http://127.0.0.1:{held.getsockname()[1]}/v1/query")

    assert isinstance(verdict, NotAsked)


def test_neither_is_a_package_that_was_left_out() -> None:
    listed: list[dict[str, Any]] = [
        {"name": "httpx", "version": "1", "vulns": []},
        {"name": "idna", "skip_reason": "not found"},
    ]

    assert judged(listed, {"httpx", "idna"}) == NotAsked("1 of 2 packages were left out: idna")
    assert judged(listed[:1], {"httpx", "idna"}) == NotAsked("1 of 2 packages were left out: idna")


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("echo 'No vulnerabilities found.'", Clean("1 programs")),
        ("echo 'Vulnerability #1: GO-2026-0001'; exit 3", Known(("Vulnerability #1: GO-2026-0001",))),
        ("echo 'in words of a later version'; exit 3", Known(("in words of a later version",))),
        ("echo 'vuln.go.dev: no such host' >&2; exit 1", NotAsked("vuln.go.dev: no such host")),
        ("exit 2", NotAsked("it said nothing")),
    ],
)
def test_go_modules_are_judged_by_how_govulncheck_ends(tmp_path: Path, script: str, verdict: Verdict) -> None:
    program = tmp_path / "govulncheck"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)

    assert go_verdict(PULUMI_TOOL, program) == verdict


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Clean("x"), Clean("y")], 0),
        ([Clean("x"), NotAsked("why")], 2),
        ([NotAsked("why"), Known(("x",)), Clean("y")], 1),
    ],
)
def test_the_exit_code_tells_the_three_apart(verdicts: list[Verdict], code: int) -> None:
    assert exit_code(verdicts) == code


def test_the_command_audits_both_files(capsys: pytest.CaptureFixture[str]) -> None:
    with osv(200, json.dumps({"vulns": [ADVISORY]}), of="httpx") as source:
        code = audit.main(["--osv-url", source, "--python-only"])

    first, second = capsys.readouterr().out.splitlines()
    assert code == 1
    assert first.startswith("requirements.txt: KNOWN: httpx ")
    assert second.startswith("requirements-dev.txt: KNOWN: httpx ")
