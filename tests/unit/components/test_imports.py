"""What another project loads with the component that it uses."""

import subprocess
import sys

NEEDLESS = {
    "httpx",
    "kr8s",
    "rich",
    "typer",
    "dittoinfra.kubernetes",
    "dittoinfra.dittofs",
    "dittoinfra.program",
}


def test_a_project_that_uses_the_component_loads_no_client_and_no_command_line() -> None:
    program = "import sys, dittoinfra.components; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not NEEDLESS & set(loaded.stdout.split())
