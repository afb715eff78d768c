"""Who a server's users are: the blocks `ldap` and `kerberos` of its file, their secrets and their mounts."""

from typing import Any

import yaml

from dittoinfra.decide.config_file import config_yaml
from dittoinfra.decide.pod import Mount, mounts, secret_variables
from tests.engine.deploy.config import JOIN, KERBEROS, LDAP, account, deployed
from tests.pure.decide.test_server_config import CONFIG, rendered, secret

KEYTAB = Mount("kerberos-keytab", "/kerberos", {"keytab": "dittofs.keytab"}, secret="kerberos")


def test_a_directory_with_nothing_said_beyond_its_address_and_account() -> None:
    assert rendered(config={"ldap": LDAP})["ldap"] == {
        "enabled": True,
        "url": "ldaps://dc.example.com:636",
        "start_tls": False,
        "allow_plaintext": False,
        "base_dn": "DC=example,DC=com",
        "bind_dn": "CN=dittofs,DC=example,DC=com",
        "user_attr": "sAMAccountName",
        "idmap": "rfc2307",
        "nested_groups": False,
        "timeout": "10s",
        "max_group_results": 200,
        "tls": {"insecure_skip_verify": False, "min_version": "1.2"},
    }
    assert rendered(config={"ldap": {**LDAP, "realm": "EXAMPLE.COM"}})["ldap"]["realm"] == "EXAMPLE.COM"


def test_a_directory_with_every_file_it_may_need() -> None:
    tls = {"ca": {"secret": "ldap-ca", "key": "ca.pem"}, "clientCertificate": "ldap-client"}
    server, deploy = deployed(config={"ldap": {**LDAP, "tls": tls}})

    assert secret_variables(server, deploy)[2:] == (secret("DITTOFS_LDAP_BIND_PASSWORD", "ldap", "password"),)
    assert yaml.safe_load(config_yaml(server, deploy))["ldap"]["tls"] == {
        "ca_cert_file": "/ldap-ca/ca.crt",
        "client_cert_file": "/ldap-client/tls.crt",
        "client_key_file": "/ldap-client/tls.key",
        "insecure_skip_verify": False,
        "min_version": "1.2",
    }
    assert [(mount.name, mount.path, mount.secret) for mount in mounts(server, deploy)[1:]] == [
        ("ldap-ca", "/ldap-ca", "ldap-ca"),
        ("ldap-client", "/ldap-client", "ldap-client"),
    ]


def test_a_directory_that_the_images_authorities_vouch_for() -> None:
    assert mounts(*deployed(config={"ldap": LDAP})) == (CONFIG,)


def test_kerberos_alone() -> None:
    server, deploy = deployed(config={"kerberos": KERBEROS})

    assert rendered(config={"kerberos": KERBEROS})["kerberos"] == {
        "enabled": True,
        "keytab_path": "/kerberos/dittofs.keytab",
        "service_principal": "nfs/media.example.com@EXAMPLE.COM",
        "max_clock_skew": "5m",
        "context_ttl": "8h",
        "max_contexts": 10_000,
    }
    assert secret_variables(server, deploy)[2:] == ()
    assert mounts(server, deploy)[1:] == (KEYTAB,)


def test_a_domain_by_its_names() -> None:
    named = {**KERBEROS, "realm": "EXAMPLE.COM", "netbiosDomain": "EXAMPLE", "dnsDomain": "example.com"}
    block = rendered(config={"kerberos": {**named, "krb5Conf": {"secret": "krb5", "key": "conf"}}})[
        "kerberos"
    ]

    assert {
        "realm": "EXAMPLE.COM",
        "netbios_domain": "EXAMPLE",
        "dns_domain": "example.com",
        "krb5_conf": "/kerberos-krb5/krb5.conf",
    }.items() <= block.items()


def test_a_machine_account_that_exists() -> None:
    kerberos = account(
        password={"secret": "machine", "key": "password"}, keytab={"secret": "machine", "key": "keytab"}
    )
    server, deploy = deployed(
        config={"kerberos": {**kerberos, "krb5Conf": {"secret": "krb5", "key": "conf"}}}
    )

    assert secret_variables(server, deploy)[2:] == (
        secret("DITTOFS_KERBEROS_MACHINE_ACCOUNT_SECRET", "machine", "password"),
    )
    assert mounts(server, deploy)[1:] == (
        KEYTAB,
        Mount("kerberos-krb5-conf", "/kerberos-krb5", {"conf": "krb5.conf"}, secret="krb5"),
        Mount("kerberos-machine-keytab", "/kerberos-machine", {"keytab": "machine.keytab"}, secret="machine"),
    )
    assert yaml.safe_load(config_yaml(server, deploy))["kerberos"]["machine_account"] == {
        "enabled": True,
        "account_name": "MEDIA$",
        "keytab_path": "/kerberos-machine/machine.keytab",
    }


def test_a_machine_account_that_is_made() -> None:
    join = {**JOIN, "ca": {"secret": "dc", "key": "ca"}}
    server, deploy = deployed(config={"kerberos": account(onlineJoin=join)})

    assert secret_variables(server, deploy)[2:] == (
        secret("DITTOFS_KERBEROS_MACHINE_ACCOUNT_ONLINE_JOIN_BIND_PASSWORD", "join", "password"),
    )
    assert mounts(server, deploy)[1:] == (
        KEYTAB,
        Mount("kerberos-join-ca", "/kerberos-join-ca", {"ca": "ca.crt"}, secret="dc"),
    )
    assert yaml.safe_load(config_yaml(server, deploy))["kerberos"]["machine_account"]["online_join"] == {
        "enabled": True,
        "ldap_url": "ldaps://dc.example.com",
        "start_tls": False,
        "bind_dn": "CN=joiner",
        "base_dn": "DC=example,DC=com",
        "ca_cert_file": "/kerberos-join-ca/ca.crt",
        "insecure_skip_verify": False,
    }


def test_a_machine_account_with_everything_that_can_be_said_of_it() -> None:
    join = {
        **JOIN,
        "ou": "OU=files",
        "dnsHostName": "media.example.com",
        "spns": ["cifs/media.example.com"],
        "rotationInterval": "720h",
    }
    kerberos = account(onlineJoin=join, domainControllers=["dc1.example.com", "dc2.example.com:88"])

    block: dict[str, Any] = rendered(config={"kerberos": kerberos})["kerberos"]["machine_account"]

    assert block["dc_address"] == ["dc1.example.com", "dc2.example.com:88"]
    assert {
        "ou": "OU=files",
        "dns_host_name": "media.example.com",
        "spns": ["cifs/media.example.com"],
        "rotation_interval": "720h",
    }.items() <= block["online_join"].items()
