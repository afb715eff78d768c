"""How a deployed server finds users and groups in a directory."""

from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from dittoinfra.settings.base import Duration, ObjectName, Settings
from dittoinfra.settings.deploy.credentials import SecretKey

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
