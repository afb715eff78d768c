"""A Secret that a server reads at its start restarts its Pod when it changes, once, and for nothing else."""

from pydantic import SecretStr

from dittoinfra.decide.secret_restarts import secret_digest, secrets_now, signing_key, watched_secrets
from dittoinfra.object_model import SecretsSeen
from dittoinfra.settings import ServerSecrets
from dittoinfra.state import server_memory
from dittoinfra.state.server_outputs import remembered_secrets
from tests.engine.deploy.config import JWT, KERBEROS, LDAP, deployed
from tests.pure.decide.make import server

JWT_SECRET = ("media-jwt-secret", "jwt-secret")
URN = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server::media"


def test_what_is_read_at_the_start_is_watched_and_nothing_that_is_reloaded_or_read_once() -> None:
    of_user = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "own", "key": "token"}}}
    media, deploy = deployed(
        api={"tls": {"secret": "api-tls", "clientCa": "clients"}},
        metrics={"enabled": True, "bearerToken": {"secret": "scrape", "key": "token"}},
        config={
            "ldap": LDAP,
            "kerberos": {**KERBEROS, "krb5Conf": {"secret": "kerberos", "key": "conf"}},
        },
        env=[of_user, {"name": "PLAIN", "value": "x"}],
    )

    assert watched_secrets(media, deploy, None) == (
        JWT_SECRET,
        ("ldap", "password"),
        ("clients", "ca.crt"),
        ("kerberos", "conf"),
        ("scrape", "token"),
        ("own", "token"),
    )
    assert signing_key(media, deploy) == JWT_SECRET


def test_a_signing_key_of_this_stack_is_in_the_hash_of_the_configuration_already() -> None:
    media = server("media", deploy={})
    assert media.deploy is not None

    assert signing_key(media, media.deploy) == JWT_SECRET
    assert watched_secrets(media, media.deploy, ServerSecrets(jwt=SecretStr(JWT))) == ()
    assert watched_secrets(media, media.deploy, ServerSecrets()) == (JWT_SECRET,)


def test_a_digest_depends_on_the_content_and_on_the_key() -> None:
    assert secret_digest(b"key", b"a") == secret_digest(b"key", b"a")
    assert len({secret_digest(b"key", b"a"), secret_digest(b"key", b"b"), secret_digest(b"other", b"a")}) == 3


def test_the_first_look_restarts_nothing() -> None:
    seen = secrets_now(SecretsSeen(), {("pg", "password"): "1"})

    assert seen == SecretsSeen({"pg/password": "1"}, None)
    assert secrets_now(seen, {("pg", "password"): "1"}) == seen


def test_a_change_restarts_once() -> None:
    seen = SecretsSeen({"pg/password": "1"}, None)

    changed = secrets_now(seen, {("pg", "password"): "2"})
    assert changed.restart is not None
    assert secrets_now(changed, {("pg", "password"): "2"}) == changed

    back = secrets_now(changed, {("pg", "password"): "1"})
    assert back.restart not in (None, changed.restart)


def test_what_could_not_be_read_or_is_new_changes_nothing() -> None:
    seen = SecretsSeen({"pg/password": "1"}, "hash")

    assert secrets_now(seen, {}) == seen
    assert secrets_now(seen, {("ldap", "password"): "7"}).restart == "hash"


def test_the_state_remembers_it() -> None:
    for seen in (SecretsSeen({"pg/password": "1"}, "hash"), SecretsSeen({"pg/password": "1"})):
        outputs = server_memory("files", (), None, secrets=seen)
        assert remembered_secrets({URN: {"outputs": outputs}}) == {"media": seen}
    assert remembered_secrets({URN: {"outputs": server_memory("files", (), None)}}) == {}
