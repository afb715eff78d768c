"""What is read from a backend's files is what the CLI prints of them."""

import json
from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.stacks.cli_process import CommandLine
from lab.simulator import SimulatedDittoFS
from tests.engine.world import STACK, server, world


def test_state_and_history_are_as_the_cli_prints_them(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with world(pulumi_cli, tmp_path) as fresh, SimulatedDittoFS(admin_password=fresh.password) as dittofs:
        dittofs.set_adapter("nfs", port=12049)
        fresh.configure(server(dittofs))
        fresh.up()
        stack = fresh.stack
        cli = CommandLine(pulumi_cli, tmp_path, stack.environment)

        printed = json.loads(cli.ask("stack", "history", "--json", "--stack", STACK))

        assert stack.export() == stack.state()["deployment"]
        for entry in printed:
            del entry["config"]
        assert stack.history() == printed
