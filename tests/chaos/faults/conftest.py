"""One stack with two adapters for all faults of a worker: none of them may change it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.chaos.faults.stack import USERNAME, Stack
from tests.engine.world import world


@pytest.fixture(scope="session")
def stack(pulumi_cli: PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of the real engine whose server was healthy so far."""
    password = credential("faults-password")
    with (
        world(pulumi_cli, tmp_path_factory.mktemp("faults")) as fresh,
        SimulatedDittoFS(admin_password=password) as dittofs,
    ):
        dittofs.add_user(USERNAME, password)
        dittofs.set_adapter("nfs", port=12049)
        dittofs.set_adapter("smb", port=12445)
        stack = Stack(replace(fresh, password=password), dittofs)
        stack.recover()
        yield stack
