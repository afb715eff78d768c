"""The garbage collector comes less often in every process that runs our program, and nowhere more often."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("chosen", "then"), [("700, 10, 10", 20_000), ("50_000, 10, 10", 50_000), ("0, 10, 10", 0)]
)
def test_a_program_that_has_chosen_more_or_none_keeps_its_choice(chosen: str, then: int) -> None:
    imported = "import dittoinfra.lean_collector"
    code = f"import gc; gc.set_threshold({chosen}); {imported}; print(gc.get_threshold()[0])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert int(said) == then


@pytest.mark.parametrize(
    "module", ["dittoinfra.cli", "dittoinfra.program", "dittoinfra.stacks.project_stack"]
)
def test_every_way_to_run_the_program_has_it(module: str) -> None:
    code = f"import gc; import {module}; print(gc.get_threshold()[0])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert int(said) == 20_000
