"""A server's Pod: its environment, its files, its probes and its restrictions, as Kubernetes fields. Pure."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dittoinfra import naming
from dittoinfra.nested_values import mapped, without_nulls
from dittoinfra.object_model import VolumeClaim
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.base import SecretKey
from dittoinfra.settings.deploy import KubernetesBlock, PostgresKeys
from dittoinfra.settings.layers import merge

JWT_KEY = "jwt-secret"
USERNAME_KEY = "username"
PASSWORD_KEY = "password"  # noqa: S105  (the name of a key, not a password)

# The operator's paths: a server stores some of them in its database.
CONFIG_KEY = "config.yaml"
CONFIG_FILE = f"/config/{CONFIG_KEY}"
TLS_CERTIFICATE = "/tls/tls.crt"
TLS_KEY = "/tls/tls.key"
TLS_CLIENT_CA = "/tls-client-ca/ca.crt"
KEYTAB = "/kerberos/dittofs.keytab"
KRB5_CONF = "/kerberos-krb5/krb5.conf"
MACHINE_KEYTAB = "/kerberos-machine/machine.keytab"
METRICS_TOKEN = "/metrics-token/token"  # noqa: S105  (a path, not a token)
# Files that the operator does not mount itself: its users do.
JOIN_CA = "/kerberos-join-ca/ca.crt"
LDAP_CA = "/ldap-ca/ca.crt"
LDAP_CERTIFICATE = "/ldap-client/tls.crt"
LDAP_KEY = "/ldap-client/tls.key"
POSTGRES_CA = "/postgres-ca/ca.crt"

PRE_STOP_SECONDS = 5
"""Time to remove the Pod from the endpoints before the server stops accepting connections."""

_SHUTDOWN_STAGES = 3
"""The server stops in stages, one after the other, and the shutdown timeout applies to each."""

_SPARE_SECONDS = 10
"""Time for the process itself beyond the stages."""

_DATABASE_ATTEMPTS = 150
_DATABASE_PAUSE_SECONDS = 2

CLAIM_PATHS = {
    "metadata": "/data/store/metadata",
    "content": "/data/store/block",
    "controlplane": "/data/controlplane",
}
"""Where each claim is mounted."""

_SCRATCH = "tmp"
"""The server keeps nothing there, but its block garbage collection writes there while it runs."""

_SECRET_FILE_MODE = 0o440
"""Readable by the Pod's group only, which the server is in."""

_POD_SECURITY: KubernetesBlock = {"fsGroup": 65532}

_CONTAINER_SECURITY: KubernetesBlock = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


@dataclass(frozen=True, slots=True)
class SecretVariable:
    """An environment variable, and the key of a Secret that it is taken from."""

    name: str
    secret: str
    key: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of read-only files, out of either a Secret or a ConfigMap."""

    name: str
    path: str
    files: Mapping[str, str]
    """File names by key of the Secret or ConfigMap."""
    secret: str | None = None
    config_map: str | None = None


def secret_variables(server: ServerSettings, deploy: Deploy) -> tuple[SecretVariable, ...]:
    """Every secret that the server needs: it reads each key of its configuration from a variable too."""
    made_jwt = SecretKey(secret=naming.jwt_secret(server.name), key=JWT_KEY)
    made_admin = SecretKey(secret=naming.admin_secret(server.name), key=PASSWORD_KEY)
    ldap, kerberos = deploy.config.ldap, deploy.config.kerberos
    account = kerberos.machine_account if kerberos else None
    join = account.online_join if account else None
    references = {
        "LDAP_BIND_PASSWORD": ldap.bind_password if ldap else None,
        "KERBEROS_MACHINE_ACCOUNT_SECRET": account.password if account else None,
        "KERBEROS_MACHINE_ACCOUNT_ONLINE_JOIN_BIND_PASSWORD": join.bind_password if join else None,
    }
    return (
        _variable("CONTROLPLANE_SECRET", deploy.credentials.jwt or made_jwt),
        _variable("ADMIN_INITIAL_PASSWORD", deploy.credentials.admin_password or made_admin),
        *_database_variables(server, deploy),
        *(_variable(name, reference) for name, reference in references.items() if reference is not None),
    )


def mounts(server: ServerSettings, deploy: Deploy) -> tuple[Mount, ...]:
    """Everything that config.yaml refers to, and that file itself."""
    folder, _, file = CONFIG_FILE.rpartition("/")
    config = Mount("config", folder, {CONFIG_KEY: file}, config_map=naming.config_map(server.name))
    return (config, *_secret_mounts(deploy))


def database_wait_command(deploy: Deploy) -> tuple[str, ...] | None:
    """The init container's command; None where the database is not created together with the server.

    It waits for the database, because the server itself gives up at once. It runs with the server's image,
    settings and login: an open port is not yet a usable database.
    """
    if deploy.database.percona is None:
        return None
    return "/bin/sh", "-c", waiting_script("/app/dfs", CONFIG_FILE)


def waiting_script(dfs: str, config_file: str) -> str:
    """Migrates the database as soon as possible; if that never succeeds, the last error is on its output."""
    return (
        f"attempt=1; until {dfs} migrate --config {config_file}; do "
        f"[ $attempt -ge {_DATABASE_ATTEMPTS} ] && exit 1; "
        f"attempt=$((attempt + 1)); sleep {_DATABASE_PAUSE_SECONDS}; done"
    )


def grace_seconds(deploy: Deploy) -> int:
    """Time for the Pod to stop: 105 s with the default shutdown timeout of 30 s, as the operator has it."""
    if deploy.grace_period is not None:
        return math.ceil(deploy.grace_period.total_seconds())
    stages = _SHUTDOWN_STAGES * deploy.config.shutdown_timeout.total_seconds()
    return PRE_STOP_SECONDS + math.ceil(stages) + _SPARE_SECONDS


def startup_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server has come up; it may take two and a half minutes."""
    return _probe(deploy, "/health", period=5, failures=30)


def liveness_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server is to be restarted."""
    return _probe(deploy, "/health", delay=15, period=10, failures=3)


def readiness_probe(deploy: Deploy) -> KubernetesBlock:
    """Whether the server is to get connections."""
    return _probe(deploy, "/health/ready", delay=10, period=5, failures=3)


def pod_security_context(deploy: Deploy) -> KubernetesBlock:
    """The Pod's security context."""
    context: KubernetesBlock = mapped(merge(_POD_SECURITY, deploy.pod_security_context), without_nulls)
    return context


def container_security_context(deploy: Deploy) -> KubernetesBlock:
    """The container's security context."""
    read_only = {"readOnlyRootFilesystem": True} if deploy.read_only_root_filesystem else {}
    wanted = merge(_CONTAINER_SECURITY | read_only, deploy.container_security_context)
    context: KubernetesBlock = mapped(wanted, without_nulls)
    return context


def container_environment(deploy: Deploy, own: Iterable[SecretVariable]) -> list[KubernetesBlock]:
    """Environment variables of a container: its own, and the configured ones over them."""
    entries = (
        {
            "name": variable.name,
            "valueFrom": {
                "secretKeyRef": {
                    "name": variable.secret,
                    "key": variable.key,
                    **({"optional": True} if variable.optional else {}),
                }
            },
        }
        for variable in own
    )
    return _overlaid(entries, deploy.env, "name")


def volume_mounts(
    deploy: Deploy, own: Iterable[Mount], claims: Iterable[VolumeClaim] = ()
) -> list[KubernetesBlock]:
    """Mounts of a container's claims and volumes."""
    return _overlaid(
        (
            *({"name": claim.name, "mountPath": CLAIM_PATHS[claim.name]} for claim in claims),
            *({"name": mount.name, "mountPath": mount.path, "readOnly": True} for mount in own),
            *({"name": _SCRATCH, "mountPath": path} for path in _scratch_paths(deploy)),
        ),
        deploy.volume_mounts,
        "mountPath",
    )


def pod_volumes(deploy: Deploy, own: Iterable[Mount]) -> list[KubernetesBlock]:
    """Volumes of the Pod; claims are the StatefulSet's."""
    scratch = [{"name": _SCRATCH, "emptyDir": {}}] if _scratch_paths(deploy) else []
    return _overlaid((*map(_volume, own), *scratch), deploy.volumes, "name")


def _variable(name: str, reference: SecretKey) -> SecretVariable:
    return SecretVariable(f"DITTOFS_{name}", reference.secret, reference.key)


def _database_variables(server: ServerSettings, deploy: Deploy) -> Iterator[SecretVariable]:
    postgres = deploy.database.postgres
    if postgres is not None:
        secret, keys = postgres.secret, postgres.keys
    elif deploy.database.percona is not None:
        secret, keys = naming.database_secret(server.name), PostgresKeys(database="dbname")
    else:
        return
    for field in ("host", "database", "user", "password", "port"):
        # The server has a default for the port, and a Secret of the user may do without.
        optional = field == "port" and postgres is not None
        name = f"DITTOFS_DATABASE_POSTGRES_{field.upper()}"
        yield SecretVariable(name, secret, getattr(keys, field), optional)


def _secret_mounts(deploy: Deploy) -> Iterator[Mount]:
    tls, postgres = deploy.api.tls, deploy.database.postgres
    ldap, kerberos = deploy.config.ldap, deploy.config.kerberos
    if tls is not None:
        yield _pair("tls-cert", TLS_CERTIFICATE, TLS_KEY, tls.secret)
        if tls.client_ca is not None:
            yield from _file("tls-client-ca", TLS_CLIENT_CA, SecretKey(secret=tls.client_ca, key="ca.crt"))
    if postgres is not None:
        yield from _file("postgres-ca", POSTGRES_CA, postgres.ca)
    if ldap is not None:
        yield from _file("ldap-ca", LDAP_CA, ldap.tls.ca)
        if ldap.tls.client_certificate is not None:
            yield _pair("ldap-client", LDAP_CERTIFICATE, LDAP_KEY, ldap.tls.client_certificate)
    if kerberos is not None:
        yield from _file("kerberos-keytab", KEYTAB, kerberos.keytab)
        yield from _file("kerberos-krb5-conf", KRB5_CONF, kerberos.krb5_conf)
        account = kerberos.machine_account
        if account is not None:
            yield from _file("kerberos-machine-keytab", MACHINE_KEYTAB, account.keytab)
            if account.online_join is not None:
                yield from _file("kerberos-join-ca", JOIN_CA, account.online_join.ca)
    if deploy.metrics.enabled:
        yield from _file("metrics-token", METRICS_TOKEN, deploy.metrics.bearer_token)


def _file(name: str, path: str, reference: SecretKey | None) -> Iterator[Mount]:
    if reference is not None:
        folder, _, file = path.rpartition("/")
        yield Mount(name, folder, {reference.key: file}, secret=reference.secret)


def _pair(name: str, certificate: str, key: str, secret: str) -> Mount:
    folder, _, certificate_file = certificate.rpartition("/")
    files = (certificate_file, key.rpartition("/")[2])
    # The keys of a `kubernetes.io/tls` Secret have the names of these files.
    return Mount(name, folder, dict(zip(files, files, strict=True)), secret=secret)


def _probe(deploy: Deploy, path: str, *, period: int, failures: int, delay: int = 0) -> KubernetesBlock:
    tls, port = deploy.api.tls, deploy.api.port
    if tls is not None and tls.client_ca is not None:
        # Kubernetes cannot present a client certificate: it can only check that the port is open.
        request: KubernetesBlock = {"tcpSocket": {"port": port}}
    else:
        request = {"httpGet": {"path": path, "port": port, "scheme": "HTTPS" if tls else "HTTP"}}
    return {
        **request,
        "initialDelaySeconds": delay,
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "successThreshold": 1,
        "failureThreshold": failures,
    }


def _scratch_paths(deploy: Deploy) -> Sequence[str]:
    return ["/tmp"] if deploy.read_only_root_filesystem else []  # noqa: S108  (the container's own)


def _volume(mount: Mount) -> KubernetesBlock:
    items = [{"key": key, "path": file} for key, file in mount.files.items()]
    if mount.secret is not None:
        secret = {"secretName": mount.secret, "items": items, "defaultMode": _SECRET_FILE_MODE}
        return {"name": mount.name, "secret": secret}
    return {"name": mount.name, "configMap": {"name": mount.config_map, "items": items}}


def _overlaid(
    own: Iterable[KubernetesBlock], configured: Iterable[KubernetesBlock], key: str
) -> list[KubernetesBlock]:
    """Both lists merged by a key; a configured entry replaces a built-in one."""
    entries = {entry[key]: entry for entry in own}
    entries |= {entry[key]: entry for entry in configured}
    return list(entries.values())
