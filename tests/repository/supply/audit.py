"""`python -m tests.repository.supply.audit`: known vulnerabilities of anything that is installed or built.

Exit code 0: everything was asked about, and nothing is known. 1: something is known. 2: the advisories could
not be reached for all of it, which is not the same as nothing known.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.tools import BUILT
from lab.gotools import PULUMI_TOOL, GoTool, find_go
from tests.repository.supply.verdicts import Clean, Known, NotAsked, Verdict, exit_code, judged, told
from tools.locked import DEVELOPMENT, RUNTIME, pins

GO_TOOLS: Final = (PULUMI_TOOL, *BUILT)
GOVULNCHECK: Final = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
GO_FOUND_SOMETHING: Final = 3
"""How govulncheck ends when it has found something."""

SECONDS: Final = 900.0
"""For one tool: it downloads, and asks about hundreds of modules."""


def python_verdict(requirements: Path, osv: str | None = None) -> Verdict:
    """What pip-audit finds out about a requirements file.

    It asks OSV. Of PyPI, its other source, it takes a package that is not there for one without advisories.
    """
    program = [sys.executable, "-m", "pip_audit", "--vulnerability-service", "osv", "--format", "json"]
    file = [
        "--requirement",
        str(requirements),
        "--require-hashes",
        "--disable-pip",
        "--progress-spinner",
        "off",
    ]
    source = ["--osv-url", osv] if osv else []
    done = _run([*program, *file, *source])
    if isinstance(done, NotAsked):
        return done
    try:
        dependencies = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        # A traceback and a finding end in the same exit code: only its document tells them apart.
        return NotAsked(_last_words(done.stderr))
    return judged(dependencies, set(pins(requirements.read_text())))


def go_verdict(tool: GoTool, govulncheck: Path) -> Verdict:
    """What govulncheck finds out about the packages that a tool is built from."""
    done = _run([str(govulncheck), "-C", str(tool.module_dir), "-scan", "package", *tool.packages])
    if isinstance(done, NotAsked):
        return done
    if done.returncode == GO_FOUND_SOMETHING:
        lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("Vulnerability #")]
        return Known(tuple(lines) or (_last_words(done.stdout),))
    return NotAsked(_last_words(done.stderr)) if done.returncode else Clean(f"{len(tool.packages)} programs")


def _go_verdicts(folder: Path) -> Iterator[tuple[str, Verdict]]:
    try:
        go = find_go()
    except EngineError as error:
        yield "go modules", NotAsked(str(error))
        return
    built = _run(["env", f"GOBIN={folder}", "GOFLAGS=", str(go), "install", GOVULNCHECK])
    if isinstance(built, NotAsked) or built.returncode:
        why = built.why if isinstance(built, NotAsked) else _last_words(built.stderr)
        yield "go modules", NotAsked(f"{GOVULNCHECK} cannot be had: {why}")
        return
    for tool in GO_TOOLS:
        yield f"{tool.name} {tool.version}", go_verdict(tool, folder / "govulncheck")


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str] | NotAsked":
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return NotAsked(f"no answer within {SECONDS:g} s")


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit everything, a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.repository.supply.audit", description=__doc__)
    parser.add_argument("--osv-url", help="a mirror of OSV's query API, where there is one")
    parser.add_argument("--python-only", action="store_true", help="leave out the Go modules")
    options = parser.parse_args(arguments)
    verdicts: list[Verdict] = []

    def tell(subject: str, verdict: Verdict) -> None:
        verdicts.append(verdict)
        sys.stdout.write("".join(f"{line}\n" for line in told(subject, verdict)))
        sys.stdout.flush()

    for path in (RUNTIME, DEVELOPMENT):
        tell(path.name, python_verdict(path, options.osv_url))
    if not options.python_only:
        with tempfile.TemporaryDirectory() as folder:
            for subject, verdict in _go_verdicts(Path(folder)):
                tell(subject, verdict)
    return exit_code(verdicts)


if __name__ == "__main__":
    sys.exit(main())
