"""A program of a stranger's shape through the life of its stack: three servers, and resources of its own."""

import pulumi
import pulumi_kubernetes as kubernetes

from dittoinfra import ExistingServer
from dittoinfra.changes import Changes
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs, password_of


def test_three_servers_beside_other_resources(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media, scans, archive = new_server(), new_server(), new_server()
    approved: list[str] = []

    def program() -> None:
        login = kubernetes.core.v1.Secret("login", metadata={"name": "login", "namespace": "files"})
        kubernetes.core.v1.ConfigMap("motd", metadata={"name": "motd", "namespace": "files"})
        known = pulumi.Output.secret(password)
        exported("media", ExistingServer("media", inputs(media, password_of(login, password))))
        exported("scans", ExistingServer("scans", inputs(scans, known, absence_polls=2)))
        options = inputs(archive, known, approve_removals=approved, on_unreachable="fail")
        exported("archive", ExistingServer("archive", options))

    stranger.program = program
    # The password of media is an output of a Secret that does not exist yet: nothing can be told of media,
    # and that is not the same as that it serves nothing.
    foretold = stranger.preview()
    assert foretold.ok, foretold.lines("error")
    assert foretold.changes.create == 1 + 2 + 3 + 4, "the stack, two objects, three components, four Services"
    assert any("password is not known before the update" in line for line in foretold.lines("warning"))
    first = stranger.done()
    assert first.changes.create == 1 + 2 + 3 + 6
    serving = {"nfs": "serving", "smb": "serving"}
    assert stranger.outputs() == {"media": serving, "scans": serving, "archive": serving}
    assert password not in str(stranger.state())

    # Each server is followed by itself: a move, an absence and a removal at once.
    media.set_adapter("nfs", port=22049)
    scans.remove_adapter("smb")
    archive.disable("nfs")
    report = stranger.up()
    assert report.changes == Changes(update=2, delete=1, same=9), report.steps
    assert stranger.services()["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"] == 22049
    assert stranger.outputs()["scans"] == {"nfs": "serving", "smb": "absent 1/2"}
    assert "archive-adapter-nfs" not in stranger.services()

    # The last adapter that is missing, and not disabled, needs approval, as in every stack of ours.
    scans.set_adapter("smb", port=12445)
    archive.remove_adapter("smb")
    for _ in range(2):
        assert stranger.up().ok
    refused = stranger.up()
    assert not refused.ok
    [line, summary] = refused.lines("error")
    assert line.startswith("brake: this run would remove 1 of 1 adapters (100 %)")
    assert "`approve_removals: [archive/smb]`" in line
    assert summary == (
        "ExistingServer archive was rejected, so nothing was declared for it; see the error on that resource"
    )
    assert "archive-adapter-smb" in stranger.services()
    approved.append("archive/smb")
    assert stranger.up().changes.delete == 1
    approved.clear()

    # Without an answer everything stays, and where the program says so, the run stops.
    media.stop()
    assert not stranger.preview().changes.any
    archive.stop()
    stopped = stranger.preview()
    assert any("refused, because onUnreachable is fail" in line for line in stopped.lines("error"))
    media.start()
    archive.start()
    assert stranger.destroy().ok
    assert stranger.services() == {}
