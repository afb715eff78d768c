"""The server's database is replaced: adapters have their default ports, and users are gone."""

import pytest

from dittoinfra.changes import Changes
from tests.engine.lifecycle.stage import READER, Stage

pytestmark = pytest.mark.usefixtures("default_ports")

FIRST_START = {"nfs": 12049, "smb": 1445}


def test_an_empty_database_changes_nothing_until_the_user_is_back(stage: Stage) -> None:
    before = stage.identities()

    stage.dittofs.replace_database()

    assert stage.served_ports() == FIRST_START
    stage.assert_kept(
        f"denied: {stage.dittofs.url}/api/v1/auth/login refused user '{READER}' with the password from the "
        "environment variable DITTOFS_PASSWORD (HTTP 401); export the right one"
    )

    stage.dittofs.create_user(READER, stage.world.password)

    report = stage.up()
    assert report.changes == Changes(update=2, same=2)
    assert report.lines("warning") == []
    assert stage.ports() == FIRST_START
    assert stage.identities() == before
    stage.assert_settled()
