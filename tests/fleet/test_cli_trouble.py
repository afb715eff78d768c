"""What the CLI says before its engine runs."""

import pytest

from dittoinfra.automation.trouble import Trouble, trouble, with_next_step

LOCKED = """
 code: 1
 stdout:
 stderr: error: the stack is currently locked by 1 lock(s). Either wait or use `pulumi cancel`.
  file:///state/locks/1.json: created by root@vm (pid 1224) at 2026-11-16T06:56:55Z
"""


def test_a_lock_names_its_owner_and_both_ways_out() -> None:
    found = trouble("prod", LOCKED, 1)

    assert found == Trouble(
        "the stack is locked by root@vm (pid 1224) since 2026-11-16T06:56:55Z; wait for that run to end or, "
        "if it is dead, release the lock with `pulumi cancel --stack prod` or with --break-lock",
        1,
    )


@pytest.mark.parametrize(
    ("said", "exit_code", "line"),
    [
        (" stderr: error: get secrets manager: incorrect passphrase", 3, "PULUMI_CONFIG_PASSPHRASE is wrong"),
        (
            " stderr: error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or so",
            3,
            "set PULUMI_CONFIG",
        ),
        (" stderr: error: no stack named 'x' found", 6, "has no stack x yet; `dittoinfra up x` makes it"),
        (" stderr: error: the stack is currently locked by 1 lock(s).", 6, "the stack is locked; wait"),
    ],
)
def test_other_words(said: str, exit_code: int, line: str) -> None:
    found = trouble("x", said, 6)

    assert found is not None
    assert found.exit_code == exit_code
    assert line in found.line


def test_silence() -> None:
    assert trouble("x", " code: -9\n stdout: \n stderr: ", 1) is None


def test_a_provider_that_cannot_be_had_has_a_stand_in() -> None:
    missing = "no resource plugin 'pulumi-resource-kubernetes' found"

    assert with_next_step(missing).startswith(missing)
    assert "--stand-in" in with_next_step(missing)
    assert with_next_step("the cluster went away") == "the cluster went away"
