"""Searches everything that a test run has left for its credentials; a leak fails the run."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import pytest

from lab.bed.arguments import ArgumentWatch, can_be_watched
from lab.bed.credential_files import NAMED_FILES, files, may_hold_credentials, named_by_tests
from lab.bed.credentials import all_noted
from lab.bed.kubernetes import KubernetesApi
from lab.bed.leaks import Leak, Search
from lab.bed.objects import dump
from lab.bed.output_capture import CAPTURED, STARTED

ARGUMENTS: Final = "arguments.jsonl"

_PART: Final = 32 * 1024 * 1024
_OVERLAP: Final = 16 * 1024
"""Longer than any credential in any form: one that lies across two parts is found in the second."""

_KEEP_OUT: Final = "keep it out of there, or name the file and the reason in lab/bed/credential_files.py"


@dataclass
class Findings:
    """What a scan has searched, and the leaks it found."""

    files: int = 0
    objects: int = 0
    arguments: int = 0
    leaks: dict[tuple[str, Leak], None] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    """What could not be looked at, and why."""

    def add(self, place: str, leaks: Iterable[Leak]) -> None:
        """Add the leaks of one place."""
        self.leaks.update({(place, leak): None for leak in sorted(leaks)})

    def lines(self) -> list[str]:
        """One line per leak, without the credential."""
        return [
            *(
                f"secrets: LEAK: {leak.purpose}, {leak.form}, in {place}; {_KEEP_OUT}"
                for place, leak in self.leaks
            ),
            *(f"secrets: NOT looked at: {what}" for what in self.unseen),
        ]

    def summary(self, credentials: int) -> str:
        """What was searched for, and where."""
        looked = (
            f"secrets: {credentials} credentials looked for in {self.files} files, {self.objects} objects, "
            f"{self.arguments} process arguments"
        )
        return f"{looked}: {f'{len(self.leaks)} LEAKS' if self.leaks else 'none in the clear'}"


class SecretScan:
    """A pytest plugin of the main process."""

    def __init__(
        self,
        ledger: Path,
        parts: Path,
        apis: Callable[[], Mapping[str, KubernetesApi]],
    ) -> None:
        self._ledger = ledger
        self._parts = parts
        """Where the real parts keep their files and logs."""
        self._apis = apis
        """Every Kubernetes API that the run has used, still running."""
        self._life = ExitStack()
        self._reports: list[tuple[str, bytes]] = []
        self._said: list[str] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start recording command lines."""
        # Known to pytest's own plugin alone; all workers have their folders in it.
        self._temporary: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # see above
        if can_be_watched() and not session.config.option.collectonly:
            self._life.enter_context(ArgumentWatch(self._parts / ARGUMENTS))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a test's output and failure message."""
        texts = [report.nodeid, report.longreprtext, *(text for _, text in report.sections)]
        # Behind the bracket the name may hold the very thing.
        place = f"the report of {report.nodeid.partition('[')[0]}"
        self._reports.append((place, "\n".join(texts).encode(errors="replace")))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Scan everything; a leak fails the run."""
        self._life.close()
        if session.config.option.collectonly:
            return
        search = Search(all_noted(self._ledger))
        found = self._scanned(search)
        self._said = [*found.lines(), found.summary(len(search.credentials))]
        untroubled = session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
        if untroubled and (found.leaks or found.unseen):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the result."""
        for line in self._said:
            terminalreporter.write_line(line, red="LEAK" in line or "NOT" in line)

    def _scanned(self, search: Search) -> Findings:
        found = Findings()
        started = set(self._temporary.rglob(f"{CAPTURED}/{STARTED}"))
        # Arguments are told by program, and not by the file that they are noted in.
        ours = {self._ledger, self._ledger.with_name(NAMED_FILES), self._parts / ARGUMENTS, *started}
        scan_files(
            search, [self._temporary, self._parts], frozenset(ours | named_by_tests(self._ledger)), found
        )
        scan_arguments(search, self._arguments(started), found)
        for place, text in self._reports:
            found.add(place, search.leaks(text))
        for name, api in self._apis().items():
            try:
                with api.client() as client:
                    scan_objects(search, name, dump(client), found)
            except (httpx.HTTPError, OSError) as error:
                found.unseen.append(
                    f"objects of the Kubernetes {name}: {error}; see whether its server has ended"
                )
        if not can_be_watched():
            found.unseen.append("process arguments: neither /proc nor ps is here; install ps")
        return found

    def _arguments(self, started: Iterable[Path]) -> Iterator[str]:
        watched = self._parts / ARGUMENTS
        yield from map(json.loads, watched.read_text().splitlines() if watched.exists() else ())
        for file in started:
            yield from file.read_text(errors="replace").splitlines()


def scan_files(search: Search, roots: Iterable[Path], named: frozenset[Path], found: Findings) -> None:
    """Search every file below some folders, except those that may contain credentials."""
    for path in (path for root in roots for path in files(root)):
        found.files += 1
        leaks = _leaks_in(search, path)
        if leaks and not may_hold_credentials(path, named):
            found.add(str(path), leaks)


def scan_arguments(search: Search, arguments: Iterable[str], found: Findings) -> None:
    """Search command lines; a leak names only the program."""
    for each in dict.fromkeys(arguments):
        found.arguments += 1
        program = each.partition(" ")[0]
        found.add(f"the arguments of {program}", search.leaks(each.encode(errors="replace")))


def scan_objects(search: Search, name: str, objects: Iterable[tuple[str, bytes]], found: Findings) -> None:
    """Search the objects of one Kubernetes API."""
    for which, text in objects:
        found.objects += 1
        found.add(f"{which} of the Kubernetes {name}", search.leaks(text))


def _leaks_in(search: Search, path: Path) -> frozenset[Leak]:
    found: frozenset[Leak] = frozenset()
    # Not mapped into memory: servers still run, and one that cuts a file short would end us with a signal.
    try:
        with path.open("rb") as file:
            rest = b""
            while part := file.read(_PART):
                found |= search.leaks(rest + part)
                rest = part[-_OVERLAP:]
    except FileNotFoundError:
        # It was a server's own, and temporary.
        return frozenset()
    return found
