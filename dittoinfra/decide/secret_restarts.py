"""When a Secret that a server reads at its start has changed, and its Pod has to restart. Pure.

The Pod's template carries a hash of the Secrets only after one of them has changed: a hash that appears with
the first look, with another version of dittoinfra or with a new permission would restart the Pod for nothing.

Digests are keyed with the server's signing key, which is long and random: a plain hash of a short password
could be found out by trying. They reveal no more of that key than any token that the server issues. Metadata
is not part of them, so that an edited label restarts nothing.
"""

import hmac
from collections.abc import Iterator, Mapping
from hashlib import sha256

from dittoinfra.decide.pod import JWT_KEY, mounts, secret_variables
from dittoinfra.naming import jwt_secret
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import SecretsSeen
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings

KeyOfSecret = tuple[str, str]
"""Name of a Secret, and a key in it."""

_READ_ONCE = "DITTOFS_ADMIN_INITIAL_PASSWORD"
"""The server reads it at its very first start only."""

_RELOADED = frozenset({"tls-cert", "kerberos-keytab"})
"""Files that the server itself reads again when they change."""


def signing_key(server: ServerSettings, deploy: Deploy) -> KeyOfSecret:
    """Where the server's signing key is."""
    given = deploy.credentials.jwt
    return (given.secret, given.key) if given is not None else (jwt_secret(server.name), JWT_KEY)


def watched_secrets(
    server: ServerSettings, deploy: Deploy, made: ServerSecrets | None
) -> tuple[KeyOfSecret, ...]:
    """Every key of a Secret that the server reads at its start, and at no other time.

    Without a signing key that this stack makes: the hash of the configuration includes that.
    """
    own = {(jwt_secret(server.name), JWT_KEY)} if made is not None and made.jwt is not None else set()
    return tuple(this for this in dict.fromkeys(_read_at_start(server, deploy)) if this not in own)


def secret_digest(signing_key: bytes, content: bytes) -> str:
    """A digest from which the content cannot be found out."""
    return hmac.new(signing_key, content, sha256).hexdigest()


def secrets_now(before: SecretsSeen, digests: Mapping[KeyOfSecret, str]) -> SecretsSeen:
    """What is to be remembered and declared; what could not be read counts as unchanged."""
    read = {f"{secret}/{key}": digest for (secret, key), digest in digests.items()}
    now = {**before.digests, **read}
    if all(before.digests.get(name, digest) == digest for name, digest in read.items()):
        return SecretsSeen(now, before.restart)
    words = "\n".join(f"{name} {digest}" for name, digest in sorted(now.items()))
    return SecretsSeen(now, sha256(words.encode()).hexdigest())


def _read_at_start(server: ServerSettings, deploy: Deploy) -> Iterator[KeyOfSecret]:
    for variable in secret_variables(server, deploy):
        if variable.name != _READ_ONCE:
            yield variable.secret, variable.key
    for mount in mounts(server, deploy):
        if mount.secret is not None and mount.name not in _RELOADED:
            yield from ((mount.secret, key) for key in mount.files)
    for entry in deploy.env:
        reference = block(entry, "valueFrom", "secretKeyRef")
        name, key = text(reference, "name"), text(reference, "key")
        if name is not None and key is not None:
            yield name, key
