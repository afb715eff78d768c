"""A pulumi CLI that logs and traces as much as it can."""

import os
from pathlib import Path

from pulumi.automation import PulumiCommand

from lab.bed.credential_files import holds_credentials
from tests.engine.secrets.engine import LOGS


class VerboseCommand(PulumiCommand):
    """The CLI behind a script of the same name."""

    def __init__(self, found: PulumiCommand, script: Path) -> None:
        # The SDK's own constructor would start the CLI once more to ask for its version.
        self.command = str(script)
        self.version = found.version


def verbose_cli(found: PulumiCommand, root: Path) -> VerboseCommand:
    """A script that starts the real CLI with its most verbose logging, written to files."""
    logs, folder = root / LOGS, root / "path" / "bin"
    for each in (logs, folder):
        each.mkdir(parents=True)
    holds_credentials(logs, "what the engine itself tells, which the tests look at line by line")
    script = folder / "pulumi"
    flags = f'--logtostderr --logflow -v=9 --tracing="file:{logs}/$$.trace"'
    # A person at the command reads what is not a line of the log.
    passed_on = f"""tee -a "{logs}/$$.log" | grep --line-buffered -v '^{{"time":' >&2"""
    # This one command has a flag of its own with the same letter.
    but = f'if [ "$1" = whoami ]; then exec {found.command} "$@"; fi'
    script.write_text(f'#!/bin/bash\n{but}\nexec {found.command} {flags} "$@" 2> >({passed_on})\n')
    script.chmod(0o755)
    return VerboseCommand(found, script)


def found_first(root: Path) -> str:
    """A PATH with the script before the real CLI."""
    return f"{root / 'path' / 'bin'}{os.pathsep}{os.environ['PATH']}"
