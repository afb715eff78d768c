"""A deployed server's settings, and secrets to fill them with."""

from typing import Any

from dittoinfra.decide.pod import secret_variables
from dittoinfra.settings import Deploy, ServerSettings, effective_servers
from lab.bed.credentials import credential
from tests.engine.world import CREDENTIALS
from tests.pure.settings.reading import read

JWT = credential("signing-key")
PASSWORD = credential("administrator")

Secrets = dict[str, dict[str, str]]
"""Values of Secrets in a namespace, by name and key."""

HELD: Secrets = {
    "media-jwt-secret": {"jwt-secret": JWT},
    "media-admin-bootstrap-credentials": {"username": "admin", "password": PASSWORD},
}
"""What the credentials of the tests' servers refer to."""

LDAP = {
    "url": "ldaps://dc.example.com:636",
    "baseDn": "DC=example,DC=com",
    "bindDn": "CN=dittofs,DC=example,DC=com",
    "bindPassword": {"secret": "ldap", "key": "password"},
}
KERBEROS = {
    "servicePrincipal": "nfs/media.example.com@EXAMPLE.COM",
    "keytab": {"secret": "kerberos", "key": "keytab"},
}
JOIN = {
    "ldapUrl": "ldaps://dc.example.com",
    "bindDn": "CN=joiner",
    "bindPassword": {"secret": "join", "key": "password"},
    "baseDn": "DC=example,DC=com",
}


def account(**settings: object) -> dict[str, Any]:
    """Kerberos with a machine account."""
    return {
        **KERBEROS,
        "netbiosDomain": "EXAMPLE",
        "machineAccount": {"accountName": "MEDIA$", **settings},
    }


def deployed(**deploy: object) -> tuple[ServerSettings, Deploy]:
    """The server `media`, as the stack's configuration has it."""
    block = {"name": "media", "namespace": "files", "deploy": {"credentials": CREDENTIALS, **deploy}}
    [server] = effective_servers(read(servers=[block]))
    assert server.deploy is not None
    return server, server.deploy


def filled(server: ServerSettings, deploy: Deploy, secrets: Secrets) -> dict[str, str]:
    """The environment as the kubelet would fill it; it refuses to start a container without a key."""
    values = {}
    for variable in secret_variables(server, deploy):
        if not variable.optional or variable.key in secrets[variable.secret]:
            values[variable.name] = secrets[variable.secret][variable.key]
    return values
