"""A stack with two adapters for all faults of a worker and a version: none of them may change it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from lab.simulator.versions import ServerVersion
from tests.chaos.faults.stack import USERNAME, Stack
from tests.engine.world import world

Stacks = Callable[[ServerVersion], Stack]


@pytest.fixture(scope="session")
def stacks(pulumi_cli: PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stacks]:
    """Stacks of the real engine by the version of their server, which was healthy so far."""
    password = credential("faults-password")
    with ExitStack() as life:

        @cache
        def of(version: ServerVersion) -> Stack:
            fresh = life.enter_context(world(pulumi_cli, tmp_path_factory.mktemp("faults")))
            dittofs = life.enter_context(SimulatedDittoFS(admin_password=password, version=version))
            dittofs.add_user(USERNAME, password)
            dittofs.set_adapter("nfs", port=12049)
            dittofs.set_adapter("smb", port=12445)
            stack = Stack(replace(fresh, password=password), dittofs)
            stack.recover()
            return stack

        yield of


@pytest.fixture
def stack(request: pytest.FixtureRequest, stacks: Stacks) -> Stack:
    """The stack whose server is of the version that a test is given."""
    return stacks(request.param)
