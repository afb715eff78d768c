"""A password that another stack exports."""

import pulumi

from dittoinfra import ExistingServer
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs


def test_a_password_that_another_stack_exports_is_known_in_previews_and_in_the_clear_nowhere(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    root = stranger.root / "secrets"
    root.mkdir()
    others = {**stranger.environment, "PULUMI_HOME": str(root / "home")}
    secrets = Stranger.made(stranger.command, root, others, {}, project="acme-secrets")
    given: list[str] = []
    secrets.program = lambda: pulumi.export("password", pulumi.Output.secret(given[-1] if given else None))
    assert secrets.up().ok

    def program() -> None:
        known = pulumi.StackReference("organization/acme-secrets/dev").get_output("password")
        exported("media", ExistingServer("media", inputs(media, known)))

    stranger.program = program
    # Not there yet, which is no password: nothing is taken for empty, and the server is not asked.
    early = stranger.preview()
    assert not early.ok
    assert early.lines("error")[0] == (
        "api.password_env: neither it nor password gives a password for media; give `password`"
    )
    assert not any(step.type.endswith(":Service") for step in early.steps)

    given.append(password)
    assert secrets.up().ok
    foretold = stranger.preview()
    assert foretold.ok, foretold.lines("error")
    # The engine's steps are parallel: which of the two is first says nothing.
    assert sorted(step.name for step in foretold.steps if step.type.endswith(":Service")) == [
        "media/nfs",
        "media/smb",
    ]
    stranger.done()
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "serving"}
    # As the backend keeps them: an export shows secrets.
    states = [path.read_text() for path in (stranger.root / ".pulumi").rglob("*.json")]
    assert states
    assert not any(password in state for state in states)
