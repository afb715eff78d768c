"""The configuration file of a deployed DittoFS server."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from dittoinfra.settings.base import Duration, LongDuration, ObjectName, SecretKey, Settings

Text = Annotated[str, Field(min_length=1)]


def _ldap_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"ldap", "ldaps"} or not parts.hostname:
        raise ValueError("must be an address such as ldaps://dc.example.com:636")
    if parts.username or parts.password:
        raise ValueError("must not carry credentials; use bindDn and bindPassword")
    return value


LdapUrl = Annotated[str, AfterValidator(_ldap_url)]


class LdapTls(Settings):
    """TLS towards the directory."""

    ca: SecretKey | None = None
    """PEM bundle that its certificate is verified with; unset trusts the image's own authorities."""
    client_certificate: ObjectName | None = None
    """Secret with tls.crt and tls.key that the server shows to the directory (mTLS)."""
    min_version: Literal["1.2", "1.3"] = "1.2"
    """Oldest version of TLS that is spoken."""
    insecure_skip_verify: bool = False
    """Believe any certificate. For laboratories only."""


class Ldap(Settings):
    """An LDAP or Active Directory.

    The server stores this at its first start with it, and from then on what its own API was told wins.
    """

    url: LdapUrl
    """Address, such as ldaps://dc.example.com:636."""
    start_tls: bool = False
    """Turn a connection to ldap:// into TLS before anything is said."""
    allow_plaintext: bool = False
    """Send the bind password over ldap:// without TLS, which is refused otherwise."""
    base_dn: Text
    """Where users and groups are looked for, such as DC=example,DC=com."""
    bind_dn: Text
    """Account that looks."""
    bind_password: SecretKey
    """Its password."""
    user_attribute: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")] = "sAMAccountName"
    """Attribute that holds the name a user logs in with."""
    realm: Text | None = None
    """Realm of the users, such as EXAMPLE.COM."""
    idmap: Literal["rfc2307", "rid"] = "rfc2307"
    """Where UIDs and GIDs come from: the directory's POSIX attributes, or the end of a SID."""
    nested_groups: bool = False
    """Count groups within groups."""
    timeout: Duration = timedelta(seconds=10)
    """Time for one request to the directory."""
    max_group_results: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Groups that are looked up for one user at most."""
    tls: LdapTls = Field(default_factory=LdapTls)
    """How TLS is used towards it."""

    @model_validator(mode="after")
    def _encrypted(self) -> "Ldap":
        if self.url.startswith("ldap://") and not (self.start_tls or self.allow_plaintext):
            raise ValueError("url is not encrypted; use ldaps://, set startTls, or accept it: allowPlaintext")
        return self


Domain = Annotated[str, Field(pattern=r"^[^@/\s]+$")]
NetbiosName = Annotated[str, Field(pattern=r"^[^.@/\s]+$")]
Principal = Annotated[str, Field(pattern=r"^[^/@\s]+/[^/@\s]+@[^/@\s]+$")]


class OnlineJoin(Settings):
    """The server makes its machine account itself, and changes its password from time to time."""

    ldap_url: LdapUrl
    """Domain controller's directory; a machine password is only ever set over TLS."""
    start_tls: bool = False
    """Turn a connection to ldap:// into TLS before anything is said."""
    bind_dn: Text
    """Account that may create computers; used to join, never stored by the server."""
    bind_password: SecretKey
    """Its password."""
    base_dn: Text
    """The domain, such as DC=example,DC=com."""
    ou: Text | None = None
    """Container for the machine account; unset is CN=Computers."""
    dns_host_name: Text | None = None
    """Host name that is noted on the machine account."""
    spns: list[Text] = Field(default_factory=list)
    """Service principal names that are noted on it."""
    rotation_interval: LongDuration | None = None
    """Time between changes of its password; unset never changes it."""
    ca: SecretKey | None = None
    """PEM bundle that the directory's certificate is verified with."""
    insecure_skip_verify: bool = False
    """Believe any certificate. For laboratories only."""

    @model_validator(mode="after")
    def _encrypted(self) -> "OnlineJoin":
        if self.ldap_url.startswith("ldap://") and not self.start_tls:
            raise ValueError("ldapUrl is not encrypted; use ldaps://, or set startTls")
        return self


class MachineAccount(Settings):
    """The server's account in Active Directory: with it, domain users log in with NTLM too."""

    account_name: Text
    """Name of the account, usually ending in `$`."""
    password: SecretKey | None = None
    """Password of an account that exists already."""
    keytab: SecretKey | None = None
    """Keytab of an account that exists already."""
    domain_controllers: list[Text] = Field(default_factory=list)
    """Domain controllers, each as host or host:port; empty asks DNS."""
    online_join: OnlineJoin | None = None
    """Make the account instead."""

    @model_validator(mode="after")
    def _one_origin(self) -> "MachineAccount":
        exists = self.password is not None or self.keytab is not None
        if exists == (self.online_join is not None):
            raise ValueError(
                "needs the password or keytab of an account that exists, or onlineJoin; not both"
            )
        return self


class Kerberos(Settings):
    """Kerberos for NFS and SMB.

    The server stores this at its first start with it, and from then on what its own API was told wins;
    keytabs, krb5.conf and the machine account are read anew at every start.
    """

    service_principal: Principal
    """The server's own name, such as nfs/server.example.com@EXAMPLE.COM."""
    keytab: SecretKey
    """Keytab with the key of that name. A new one is noticed without a restart."""
    krb5_conf: SecretKey | None = None
    """A krb5.conf; unset takes the image's /etc/krb5.conf."""
    realm: Domain | None = None
    """Realm; unset is what follows the @ in the principal."""
    netbios_domain: NetbiosName | None = None
    """Short name of the domain, such as EXAMPLE; unset keeps SMB in WORKGROUP."""
    dns_domain: Domain | None = None
    """DNS name of the domain; unset is the realm in lower case."""
    max_clock_skew: Duration = timedelta(minutes=5)
    """How far clocks may be apart."""
    context_ttl: LongDuration = timedelta(hours=8)
    """How long a client's security context lives."""
    max_contexts: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000
    """Security contexts at the same time."""
    machine_account: MachineAccount | None = None
    """The server's account in Active Directory."""

    @model_validator(mode="after")
    def _domain_of_the_account(self) -> "Kerberos":
        if self.machine_account is not None and self.netbios_domain is None:
            raise ValueError("machineAccount needs netbiosDomain: without it the server makes no use of one")
        return self


BY_SECRET = {
    "admin.password_hash": "credentials.adminPassword, or give it as a secret",
    "controlplane.jwt.secret": "credentials.jwt, or give it as a secret",
    "database.postgres.password": "database.postgres.secret",
    "kerberos.machine_account.online_join.bind_password": (
        "config.kerberos.machineAccount.onlineJoin.bindPassword"
    ),
    "kerberos.machine_account.secret": "config.kerberos.machineAccount.password",
    "ldap.bind_password": "config.ldap.bindPassword",
}
"""Keys of which the server reads the value from its environment, and the setting for each."""

BY_SETTING = {
    "controlplane.port": "api.port",
    "controlplane.tls": "api.tls",
    "database.type": "database",
    "metrics.auth": "metrics.bearerToken",
    "metrics.enabled": "metrics.enabled",
    "metrics.path": "metrics.path",
    "metrics.port": "metrics.port",
    "metrics.token_file": "metrics.bearerToken",
    "shutdown_timeout": "config.shutdownTimeout",
}
"""Keys that Services, probes or the Pod's grace period are made from as well."""


def _check_extra(extra: dict[str, Any]) -> dict[str, Any]:
    """The block as it is, or every reason why it cannot be merged in."""
    paths = set(_paths(extra))
    reasons = [
        f"{key} {why}; use deploy.{setting}"
        for settings, why in (
            (BY_SECRET, "would be readable in the ConfigMap"),
            (BY_SETTING, "is also used outside config.yaml"),
        )
        for key, setting in settings.items()
        if key in paths
    ]
    if reasons:
        raise ValueError("; ".join(reasons))
    return extra


def _paths(block: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every key with those above it, as the server reads them: case and dots make no difference to it."""
    for key, value in block.items():
        path = f"{above}{key.lower()}"
        yield path
        if isinstance(value, Mapping):
            yield from _paths(value, f"{path}.")


class Logging(Settings):
    """The server's log."""

    level: Literal["DEBUG", "INFO", "WARN", "ERROR"] = "INFO"
    """How much is logged."""
    format: Literal["text", "json"] = "json"
    """How a line looks."""
    output: Annotated[str, Field(pattern=r"^(stdout|stderr|/.*[^/])$")] = "stdout"
    """`stdout` and `stderr` are what `kubectl logs` shows; or a file, which goes with the Pod if it is on no
    claim."""


class Tokens(Settings):
    """Lifetimes of API tokens."""

    access: LongDuration = timedelta(minutes=15)
    """Of an access token."""
    refresh: LongDuration = timedelta(hours=168)
    """Of a refresh token."""


class Snapshots(Settings):
    """The server's snapshot scheduler. Snapshot policies are set through the API, not here."""

    scheduler: bool = True
    """Take and prune snapshots as the shares' policies say."""
    poll_interval: Duration = timedelta(minutes=1)
    """Time between two looks at the policies for what is due."""
    restore_timeout: LongDuration = timedelta(minutes=30)
    """How long a restore asked for through the API may take."""


class ServerConfig(Settings):
    """What becomes `config.yaml`. Secrets never do: they reach the server through its environment."""

    logging: Logging = Field(default_factory=Logging)
    """The log."""
    shutdown_timeout: Duration = timedelta(seconds=30)
    """How long the server may take to stop; the Pod's grace period follows from it."""
    tokens: Tokens = Field(default_factory=Tokens)
    """Token lifetimes."""
    snapshots: Snapshots = Field(default_factory=Snapshots)
    """Scheduled snapshots."""
    ldap: Ldap | None = None
    """Users and groups from a directory."""
    kerberos: Kerberos | None = None
    """Kerberos authentication."""
    extra: Annotated[dict[str, Any], AfterValidator(_check_extra)] = Field(default_factory=dict)
    """Further keys of config.yaml, in the server's words, merged over everything above. A key that no tested
    version of the server reads is written all the same, with a warning. `null` takes away what was carried
    over when the server was adopted."""
