"""The server's environment: every secret it needs, by reference, and nothing that is not secret."""

from collections.abc import Iterator
from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy.credentials import SecretKey

JWT_KEY = "jwt-secret"
USERNAME_KEY = "username"
PASSWORD_KEY = "password"  # noqa: S105  (the name of a key, not a password)


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A key of a Secret in the server's namespace."""

    name: str
    key: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class EnvVar:
    """A variable with either a value or a Secret to take it from."""

    name: str
    value: str | None = None
    secret: SecretRef | None = None


def environment(server: ServerSettings, deploy: Deploy) -> tuple[EnvVar, ...]:
    """The container's variables; the server reads each of its configuration's keys from one too."""
    return (
        *_credentials(server, deploy),
        *_database(server, deploy),
        *_ldap(deploy),
        *_kerberos(deploy),
    )


def _credentials(server: ServerSettings, deploy: Deploy) -> Iterator[EnvVar]:
    made_jwt = SecretKey(secret=naming.jwt_secret(server.name), key=JWT_KEY)
    made_admin = SecretKey(secret=naming.admin_secret(server.name), key=PASSWORD_KEY)
    yield _secret("DITTOFS_CONTROLPLANE_SECRET", deploy.credentials.jwt or made_jwt)
    yield _secret("DITTOFS_ADMIN_INITIAL_PASSWORD", deploy.credentials.admin_password or made_admin)


def _database(server: ServerSettings, deploy: Deploy) -> Iterator[EnvVar]:
    database = deploy.database
    if database.postgres is not None:
        keys = database.postgres.keys
        yield from _postgres(database.postgres.secret, keys.host, keys.database, keys.user, keys.password)
        port = SecretRef(database.postgres.secret, keys.port, optional=True)
        yield EnvVar("DITTOFS_DATABASE_POSTGRES_PORT", secret=port)
    if database.percona is not None:
        secret = naming.database_secret(server.name)
        yield from _postgres(secret, "host", "dbname", "user", "password")
        yield EnvVar("DITTOFS_DATABASE_POSTGRES_PORT", secret=SecretRef(secret, "port"))


def _postgres(secret: str, host: str, database: str, user: str, password: str) -> Iterator[EnvVar]:
    for name, key in (("HOST", host), ("DATABASE", database), ("USER", user), ("PASSWORD", password)):
        yield EnvVar(f"DITTOFS_DATABASE_POSTGRES_{name}", secret=SecretRef(secret, key))


def _ldap(deploy: Deploy) -> Iterator[EnvVar]:
    if deploy.config.ldap is not None:
        yield _secret("DITTOFS_LDAP_BIND_PASSWORD", deploy.config.ldap.bind_password)


def _kerberos(deploy: Deploy) -> Iterator[EnvVar]:
    account = deploy.config.kerberos.machine_account if deploy.config.kerberos else None
    if account is None:
        return
    if account.password is not None:
        yield _secret("DITTOFS_KERBEROS_MACHINE_ACCOUNT_SECRET", account.password)
    if account.online_join is not None:
        name = "DITTOFS_KERBEROS_MACHINE_ACCOUNT_ONLINE_JOIN_BIND_PASSWORD"
        yield _secret(name, account.online_join.bind_password)


def _secret(name: str, reference: SecretKey) -> EnvVar:
    return EnvVar(name, secret=SecretRef(reference.secret, reference.key))
