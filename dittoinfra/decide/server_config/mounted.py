"""What is mounted into the server's container beside its claims, and where its files are found."""

from collections.abc import Iterator
from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy.credentials import SecretKey

# The operator's paths: a server stores some of them in its database.
CONFIG_KEY = "config.yaml"
CONFIG_FILE = f"/config/{CONFIG_KEY}"
TLS_CERTIFICATE = "/tls/tls.crt"
TLS_KEY = "/tls/tls.key"
TLS_CLIENT_CA = "/tls-client-ca/ca.crt"
KEYTAB = "/kerberos/dittofs.keytab"
KRB5_CONF = "/kerberos-krb5/krb5.conf"
MACHINE_KEYTAB = "/kerberos-machine/machine.keytab"
# What the operator leaves to its users to mount.
JOIN_CA = "/kerberos-join-ca/ca.crt"
LDAP_CA = "/ldap-ca/ca.crt"
LDAP_CERTIFICATE = "/ldap-client/tls.crt"
LDAP_KEY = "/ldap-client/tls.key"
POSTGRES_CA = "/postgres-ca/ca.crt"


@dataclass(frozen=True, slots=True)
class MountItem:
    """One key of a Secret or ConfigMap, and the file it becomes."""

    key: str
    path: str


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of read-only files, out of either a Secret or a ConfigMap."""

    name: str
    path: str
    secret: str | None
    config_map: str | None
    items: tuple[MountItem, ...]


def mounts(server: ServerSettings, deploy: Deploy) -> tuple[Mount, ...]:
    """Everything that config.yaml refers to, and that file itself."""
    return (_config(server), *_tls(deploy), *_database(deploy), *_ldap(deploy), *_kerberos(deploy))


def _config(server: ServerSettings) -> Mount:
    folder, _, file = CONFIG_FILE.rpartition("/")
    return Mount("config", folder, None, naming.config_map(server.name), (MountItem(CONFIG_KEY, file),))


def _tls(deploy: Deploy) -> Iterator[Mount]:
    tls = deploy.api.tls
    if tls is not None:
        yield _pair("tls-cert", TLS_CERTIFICATE, TLS_KEY, tls.secret)
        if tls.client_ca is not None:
            yield _file("tls-client-ca", TLS_CLIENT_CA, tls.client_ca, "ca.crt")


def _database(deploy: Deploy) -> Iterator[Mount]:
    postgres = deploy.database.postgres
    if postgres is not None:
        yield from _referred("postgres-ca", POSTGRES_CA, postgres.ca)


def _ldap(deploy: Deploy) -> Iterator[Mount]:
    ldap = deploy.config.ldap
    if ldap is None:
        return
    yield from _referred("ldap-ca", LDAP_CA, ldap.tls.ca)
    if ldap.tls.client_certificate is not None:
        yield _pair("ldap-client", LDAP_CERTIFICATE, LDAP_KEY, ldap.tls.client_certificate)


def _kerberos(deploy: Deploy) -> Iterator[Mount]:
    kerberos = deploy.config.kerberos
    if kerberos is None:
        return
    yield from _referred("kerberos-keytab", KEYTAB, kerberos.keytab)
    yield from _referred("kerberos-krb5-conf", KRB5_CONF, kerberos.krb5_conf)
    account = kerberos.machine_account
    if account is not None:
        yield from _referred("kerberos-machine-keytab", MACHINE_KEYTAB, account.keytab)
        if account.online_join is not None:
            yield from _referred("kerberos-join-ca", JOIN_CA, account.online_join.ca)


def _referred(name: str, file: str, reference: SecretKey | None) -> Iterator[Mount]:
    if reference is not None:
        yield _file(name, file, reference.secret, reference.key)


def _file(name: str, path: str, secret: str, key: str) -> Mount:
    folder, _, file = path.rpartition("/")
    return Mount(name, folder, secret, None, (MountItem(key, file),))


def _pair(name: str, certificate: str, key: str, secret: str) -> Mount:
    folder, _, certificate_file = certificate.rpartition("/")
    files = (certificate_file, key.rpartition("/")[2])
    # A `kubernetes.io/tls` Secret names its keys as these files are named.
    return Mount(name, folder, secret, None, tuple(MountItem(file, file) for file in files))
