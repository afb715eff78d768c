"""Bad input: one clear line each, the right exit code, nothing changed, no secret printed."""

import pytest
import trustme

from lab.bed.credential_files import holds_credentials
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server
from tests.unit.dittofs.bench import server_context


def in_the_clear(world: World) -> str:
    """A secret that is about to be written into the stack's file as it is."""
    holds_credentials(world.root / "stacks", "a mistake, which the run refuses")
    holds_credentials(world.root / ".pulumi" / "history", "the engine keeps what the file says as it says it")
    return credential("mistake")


def test_every_mistake_in_the_configuration_is_reported_at_once(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs))
    world.up()
    before = world.services()

    secret = in_the_clear(world)
    wrong = server(dittofs, "Media", adapter={}, api={"deadline": 5, "url": f"ftp://u:{secret}@x"})
    world.configure(wrong, server(dittofs), server(dittofs), removal="sometimes")
    report = world.stack.up()

    assert report.exit_code == 2
    lines = report.lines("error")
    assert [line.split(": ")[1] for line in lines] == [
        "dittoinfra:removal",
        "dittoinfra:servers[0].adapter",
        "dittoinfra:servers[0].api.deadline",
        "dittoinfra:servers[0].api.url",
        "dittoinfra:servers[0].name",
    ]
    assert all(line.startswith("stacks/Pulumi.") for line in lines)
    assert "did you mean 'adapters'?" in lines[1]
    assert secret not in str(report)
    assert "Traceback" not in str(report)
    assert world.services() == before


def test_access_problems_of_all_servers_are_reported_at_once(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(
        server(dittofs, "one", api={"passwordEnv": "NOT_THERE"}),
        server(dittofs, "two", api={"caBundle": "missing.pem"}),
    )

    report = world.stack.preview()

    assert report.exit_code == 2
    assert [line.split(": ")[1] for line in report.lines("error")] == [
        "dittoinfra:servers[0].api.passwordEnv",
        "dittoinfra:servers[1].api.caBundle",
    ]


def test_a_password_in_the_clear_is_refused(world: World, dittofs: SimulatedDittoFS) -> None:
    secret = in_the_clear(world)
    world.configure(server(dittofs), passwords={"media": secret})

    report = world.stack.preview()

    assert report.exit_code != 0
    assert secret not in str(report)


def test_an_encrypted_password_works_and_stays_out_of_the_state(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    block = server(dittofs)
    del block["api"]["passwordEnv"]
    world.configure(block)
    world.stack.set_config("dittoinfra:passwords.media", world.password, secret=True, path=True)

    world.up()

    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}
    assert world.password not in str(world.stack.export())
    assert world.password not in (world.root / "stacks" / "Pulumi.world.yaml").read_text()


@pytest.mark.parametrize(
    ("api", "says"),
    [
        pytest.param({"url": "http://127.0.0.1:1"}, "refused", id="wrong-url"),
        pytest.param({"username": "nobody"}, "refused user 'nobody'", id="wrong-login"),
    ],
)
@pytest.mark.parametrize(("policy", "exit_code"), [("keep", 0), ("fail", None)])
def test_a_wrong_address_or_login_is_one_line(
    world: World,
    dittofs: SimulatedDittoFS,
    api: dict[str, str],
    says: str,
    policy: str,
    exit_code: int | None,
) -> None:
    world.configure(server(dittofs))
    world.up()
    before = world.services()

    world.configure(server(dittofs, api=api), onUnreachable=policy)
    report = world.stack.up()

    expected = exit_code if exit_code is not None else (3 if "username" in api else 1)
    assert report.exit_code == expected
    (line,) = report.lines("warning", "error")
    assert says in line
    assert world.password not in str(report)
    assert world.services() == before


def test_a_token_that_is_always_expired_is_one_line_after_one_fresh_login(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    dittofs.answer_with(401, "Invalid or expired token", "text/plain", path="/api/v1/adapters/ports")
    world.configure(server(dittofs))

    report = world.stack.up()

    assert report.exit_code == 3, "the stack is new: there is nothing to keep"
    (line,) = report.lines("error")
    assert line.startswith("media: denied: ")
    assert "Invalid or expired token" in line
    assert dittofs.requests.count(("POST", "/api/v1/auth/login")) == 2
    assert world.password not in str(report)


def test_an_unknown_authority_is_one_line_and_its_bundle_mends_it(world: World) -> None:
    authority = trustme.CA()
    context = server_context(authority.issue_cert("127.0.0.1"))
    with SimulatedDittoFS(admin_password=world.password, tls=context) as secured:
        world.configure(server(secured))
        report = world.stack.up()
        (line,) = report.lines("warning")
        assert line.startswith("media: unreachable: ")
        assert "certificate" in line

        authority.cert_pem.write_to_path(str(world.root / "ca.pem"))
        world.configure(server(secured, api={"caBundle": "ca.pem"}))
        world.up()

    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}
