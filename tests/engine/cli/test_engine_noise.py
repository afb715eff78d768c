"""Messages of the engine about its own plugins are shown once, after those about stacks."""

import json
import os
import sys
import textwrap
from pathlib import Path

import pytest

from tests.engine.cli.fleet_bed import Fleet

pytestmark = pytest.mark.long

PLUGIN = """
    #!{python}
    import threading
    from pathlib import Path
    from lab.standin import FolderStore, StandInProvider

    with StandInProvider(FolderStore(Path({manifests!r}))) as provider:
        print(provider.port, flush=True)
        threading.Event().wait()
"""


@pytest.fixture
def ambient(fleet: Fleet, tmp_path: Path) -> dict[str, str]:
    """The environment of a machine that has a provider on PATH, which the engine says in every run."""
    plugin = tmp_path / "bin" / "pulumi-resource-kubernetes"
    plugin.parent.mkdir()
    program = PLUGIN.format(python=sys.executable, manifests=str(tmp_path / "manifests"))
    plugin.write_text(textwrap.dedent(program).lstrip())
    plugin.chmod(0o755)
    path = f"{plugin.parent}{os.pathsep}{fleet.environment['PATH']}"
    return {"PATH": path, "PULUMI_DEBUG_PROVIDERS": ""}


def write(fleet: Fleet, stack: str, **server: object) -> None:
    """A stack that needs no cluster."""
    fleet.add_stack(stack, fleet.block(stack, **server))
    fleet.render(stack)


def test_the_path_of_a_plugin_is_told_once_and_last(fleet: Fleet, ambient: dict[str, str]) -> None:
    write(fleet, "one")
    write(fleet, "two")
    write(fleet, "three", onUnreachable="fail")
    fleet.server("three").stop()

    done = fleet.run("up", "one", "two", "three", "--yes", environment=ambient)

    assert done.returncode != 0
    said = [line for line in (done.stderr + done.stdout).splitlines() if "from $PATH at" in line]
    assert said == [done.stdout.splitlines()[-1]], done.stderr + done.stdout
    assert said[0].startswith("engine: using pulumi-resource-kubernetes from $PATH at ")
    (failed,) = (line for line in done.stdout.splitlines() if line.startswith("three: error: "))
    assert "the connection was refused" in failed


def test_the_document_has_it_once_and_no_stack_has_it(fleet: Fleet, ambient: dict[str, str]) -> None:
    write(fleet, "one")
    write(fleet, "two")

    done = fleet.run("preview", "one", "two", "--json", environment=ambient)

    document = json.loads(done.stdout)
    assert [line.split(" at ")[0] for line in document["plugins"]] == [
        "using pulumi-resource-kubernetes from $PATH"
    ]
    assert "from $PATH" not in json.dumps(document["stacks"])
