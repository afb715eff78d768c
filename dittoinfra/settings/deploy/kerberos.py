"""How a deployed server proves itself to Kerberos clients, and its place in an Active Directory domain."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, model_validator

from dittoinfra.settings.base import Duration, LongDuration, Settings
from dittoinfra.settings.deploy.credentials import SecretKey
from dittoinfra.settings.deploy.ldap import LdapUrl, Text

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
    """Name of the account, as a rule with a `$` in the end."""
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
