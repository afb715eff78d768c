"""Commands that only read stacks load neither the SDK of the engine, whose import takes a fifth of a second,
nor the library of SMB, which takes half of that."""

from tests.engine.cli.fleet_bed import Fleet

_SDK = {"pulumi", "pulumi_kubernetes", "grpc"}
_SMB = {"smbprotocol", "spnego"}


def test_what_reads_a_stack_does_not_load_the_sdk(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    fleet.render("prod")
    assert fleet.stack("prod").up().ok

    for command in ("adapters prod", "status prod", "history prod", "hosts prod", "explain prod media"):
        loaded = _loaded_by(fleet, command)

        assert "dittoinfra.stacks.backend_stack" in loaded, command
        assert not loaded & (_SDK | _SMB), command


def _loaded_by(fleet: Fleet, command: str) -> set[str]:
    """All modules that a command has imported, as the interpreter tells it on standard error."""
    done = fleet.run(*command.split(), environment={"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0, done.stdout
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
