"""The CLI that was found, as Pulumi's SDK runs it."""

from collections.abc import Mapping

from pulumi.automation import CommandResult, PulumiCommand
from pulumi.automation.errors import create_command_error
from typing_extensions import override

from dittoinfra.stacks.cli_process import InterruptibleCommand, OnLine, PulumiCli


class SdkCommand(PulumiCommand):
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
