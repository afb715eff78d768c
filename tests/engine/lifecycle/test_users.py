"""The stack's user: changed password, disabled account, and what it must not see."""

from dittoinfra.changes import Changes
from lab.bed.process import free_ports
from tests.engine.lifecycle.stage import READER, Stage


def test_a_changed_password_changes_nothing_until_the_stack_knows_it(stage: Stage) -> None:
    before = stage.identities()
    [port] = free_ports(1)
    password = stage.new_secret("changed")

    stage.dittofs.change_password(READER, password)
    stage.dittofs.set_port("nfs", port)

    stage.assert_kept(
        f"denied: {stage.dittofs.url}/api/v1/auth/login refused user '{READER}' with the password from the "
        "environment variable DITTOFS_PASSWORD (HTTP 401); export the right one"
    )

    stage.world.give_password(password)

    assert stage.up().changes == Changes(update=1, same=3)
    assert stage.ports()["nfs"] == port
    assert stage.identities() == before
    stage.assert_settled()


def test_a_disabled_user_changes_nothing_until_it_is_enabled(stage: Stage) -> None:
    before = stage.services()

    stage.dittofs.set_user_enabled(READER, False)

    stage.assert_kept(
        f"denied: {stage.dittofs.url}/api/v1/auth/login answered HTTP 403 'User account is disabled'; "
        f"check that user '{READER}' is enabled there"
    )

    stage.dittofs.set_user_enabled(READER, True)

    stage.assert_settled()
    assert stage.services() == before


def test_the_least_privileged_user_never_sees_an_adapters_configuration(stage: Stage) -> None:
    """A user who may list whole adapters is told their configuration in the clear."""
    secret = stage.new_secret("adapter")
    before = stage.services()

    stage.dittofs.configure("smb", {"bind_address": "127.0.0.1", "password": secret})

    report = stage.up()
    assert not report.changes.any
    assert secret not in str(report)
    assert stage.services() == before
