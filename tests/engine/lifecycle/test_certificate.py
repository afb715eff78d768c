"""The certificate of the server's API is rotated while the server runs."""

from pathlib import Path

import trustme

from lab.bed.certificates import issue
from tests.engine.lifecycle.conftest import SetStage
from tests.engine.lifecycle.stage import ServerOptions


def test_a_new_certificate_of_the_same_authority_is_nothing_new(set_stage: SetStage, tmp_path: Path) -> None:
    authority = trustme.CA()
    first, second = (issue(authority, tmp_path / name) for name in ("first", "second"))
    stage = set_stage(ServerOptions(tls=first))
    stage.configure(api={"caBundle": str(first.ca_file)})
    assert stage.up().changes.create == 4
    before = stage.services()

    stage.dittofs.rotate_certificate(second)

    stage.assert_settled()
    assert stage.services() == before


def test_a_certificate_of_another_authority_is_not_believed_until_that_is_named(
    set_stage: SetStage, tmp_path: Path
) -> None:
    first, second = (issue(trustme.CA(), tmp_path / name) for name in ("first", "second"))
    stage = set_stage(ServerOptions(tls=first))
    stage.configure(api={"caBundle": str(first.ca_file)})
    assert stage.up().changes.create == 4
    before = stage.services()

    stage.dittofs.rotate_certificate(second)
    # What the server has to say does not count as long as its identity is not verified.
    stage.dittofs.disable("smb")

    stage.assert_kept(
        f"unreachable: {stage.dittofs.url}/api/v1/auth/login: TLS certificate verify failed "
        "(unable to get local issuer certificate); name its authority in api.caBundle"
    )

    stage.configure(api={"caBundle": str(second.ca_file)})

    assert stage.up().changes.delete == 1
    assert stage.services() == {"nfs": before["nfs"]}
    assert not stage.up().changes.any
