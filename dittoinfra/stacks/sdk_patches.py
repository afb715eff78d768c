"""Patches of Pulumi's SDK: which private names are patched, how, and why.

Each was observed with `TESTED_SDK`; `test_sdk_patches.py` checks the installed SDK against it. Where the
private name behind a patch is gone, the patch is skipped: no run depends on it. Nothing is patched where a
plain `pulumi up` runs the program: only inline runs come here.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import pulumi
from pulumi import automation as auto
from pulumi.automation._cmd import CommandResult  # not exported, though a command has to return it
from pulumi.automation._stack import StackInitMode
from pulumi.automation.errors import create_command_error
from typing_extensions import override

from dittoinfra.stacks.cli_process import InterruptibleCommand, OnLine, PulumiCli

TESTED_SDK: Final = "3.272.0"

_OWN_CONNECTIONS: Final = ("grpc.use_local_subchannel_pool", 1)


def patch_sdk() -> None:
    """Patch the SDK for the rest of the process. Call it before the first inline run; it is idempotent."""
    _share_no_connections()
    pulumi.log.debug = _no_debug_message


def _share_no_connections() -> None:
    """No run uses the connections that another one has left.

    A program that the engine aborted leaves a connection that keeps trying a dead port. As connections are
    shared by default, it would fail a later run whose engine happens to get that port.
    """
    try:
        from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS as OPTIONS
    except ImportError:
        return
    if _OWN_CONNECTIONS not in OPTIONS:
        OPTIONS.append(_OWN_CONNECTIONS)


def _no_debug_message(
    msg: str,
    resource: pulumi.Resource | None = None,
    stream_id: int | None = None,
    ephemeral: bool | None = None,
) -> None:
    """Send no debug messages.

    For each resource the SDK sends the engine about twenty of them, each a blocking round trip, and the
    engine shows them with `--debug` only, which no operation here uses.
    """
    del msg, resource, stream_id, ephemeral


class SdkCommand(auto.PulumiCommand):
    """A CLI that was found, as the SDK takes it; an interrupt reaches the runs of an interruptible one."""

    def __init__(self, found: PulumiCli) -> None:
        # The SDK's own constructor would start the CLI once more to ask for its version.
        self.command = found.command
        self.version = found.version
        self._found = found

    @override
    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: OnLine = None,
        on_error: OnLine = None,
    ) -> CommandResult:
        if not isinstance(self._found, InterruptibleCommand):
            return super().run(args, cwd, additional_env, on_output, on_error)
        done = self._found.run(args, cwd, additional_env, on_output, on_error)
        result = CommandResult(done.stdout, done.stderr, done.returncode)
        if result.code:
            raise create_command_error(result)
        return result


class InlineStack(auto.Stack):
    """The SDK's stack, without the CLI starts that the caller does not need.

    The SDK starts the CLI to select a stack, though every operation names it; and after an update three more
    times, for outputs and history, secrets decrypted. The event stream has delivered everything by then, so
    these starts are skipped, and no secret is read into memory.
    """

    def __init__(self, name: str, workspace: auto.LocalWorkspace) -> None:
        # The SDK's own constructor only stores these three and selects or creates the stack.
        self.name = name
        self.workspace = workspace
        self._mode = StackInitMode.SELECT

    def outputs(self) -> auto.OutputMap:
        """Empty: the recorder has the outputs."""
        return {}

    def info(self, show_secrets: bool = False) -> auto.UpdateSummary:
        """A summary that only says that the update completed."""
        del show_secrets
        return auto.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")
