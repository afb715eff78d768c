"""The garbage collector runs less often in every process that is ours, and not when it ends."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("chosen", "then"), [("700, 10, 10", 20_000), ("50_000, 10, 10", 50_000), ("0, 10, 10", 0)]
)
def test_a_program_that_has_chosen_more_or_none_keeps_its_choice(chosen: str, then: int) -> None:
    tuned = "from dittoinfra.gc_tuning import tune_collector; tune_collector()"
    code = f"import gc; gc.set_threshold({chosen}); {tuned}; print(gc.get_threshold()[0])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert int(said) == then


def test_the_command_and_a_plain_program_have_it() -> None:
    command = "import sys; sys.argv[1:] = ['--version']; from dittoinfra.cli import main as run"
    program = (
        "from pathlib import Path; from dittoinfra.program import run as start; run = lambda: start(Path())"
    )
    for way in (command, program):
        # Neither can be run to its end here: there is no engine.
        code = f"import gc\n{way}\ntry:\n    run()\nexcept BaseException:\n    print(gc.get_threshold()[0])"

        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

        assert said.split()[-1] == "20000"


def test_a_program_that_has_our_components_keeps_its_own() -> None:
    code = "import gc; from dittoinfra import ExistingServer; print(gc.get_threshold()[0])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert int(said) == 700


def test_nothing_is_collected_when_the_process_ends() -> None:
    # Callbacks run in reverse order: this one sees what the interpreter's last collection would look at.
    code = (
        "import atexit, gc; atexit.register(lambda: print(len(gc.get_objects()))); "
        "from dittoinfra.gc_tuning import tune_collector; tune_collector(); import json"
    )

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert int(said) < 100
