"""The server's blocks on who its users are, in its own words. What is unset stays None."""

from typing import Any

from dittoinfra.decide.server_config import mounted
from dittoinfra.settings.deploy.kerberos import Kerberos, MachineAccount, OnlineJoin
from dittoinfra.settings.deploy.ldap import Ldap


def ldap(settings: Ldap) -> dict[str, Any]:
    """The block `ldap`, without the password."""
    certificate = settings.tls.client_certificate
    return {
        "enabled": True,
        "url": settings.url,
        "start_tls": settings.start_tls,
        "allow_plaintext": settings.allow_plaintext,
        "base_dn": settings.base_dn,
        "bind_dn": settings.bind_dn,
        "user_attr": settings.user_attribute,
        "realm": settings.realm,
        "idmap": settings.idmap,
        "nested_groups": settings.nested_groups,
        "timeout": settings.timeout,
        "max_group_results": settings.max_group_results,
        "tls": {
            "ca_cert_file": settings.tls.ca and mounted.LDAP_CA,
            "client_cert_file": certificate and mounted.LDAP_CERTIFICATE,
            "client_key_file": certificate and mounted.LDAP_KEY,
            "insecure_skip_verify": settings.tls.insecure_skip_verify,
            "min_version": settings.tls.min_version,
        },
    }


def kerberos(settings: Kerberos) -> dict[str, Any]:
    """The block `kerberos`, without passwords."""
    account = settings.machine_account
    return {
        "enabled": True,
        "keytab_path": mounted.KEYTAB,
        "service_principal": settings.service_principal,
        "realm": settings.realm,
        "netbios_domain": settings.netbios_domain,
        "dns_domain": settings.dns_domain,
        "krb5_conf": settings.krb5_conf and mounted.KRB5_CONF,
        "max_clock_skew": settings.max_clock_skew,
        "context_ttl": settings.context_ttl,
        "max_contexts": settings.max_contexts,
        "machine_account": _machine_account(account) if account else None,
    }


def _machine_account(account: MachineAccount) -> dict[str, Any]:
    return {
        "enabled": True,
        "account_name": account.account_name,
        "keytab_path": account.keytab and mounted.MACHINE_KEYTAB,
        "dc_address": account.domain_controllers or None,
        "online_join": _online_join(account.online_join) if account.online_join else None,
    }


def _online_join(join: OnlineJoin) -> dict[str, Any]:
    return {
        "enabled": True,
        "ldap_url": join.ldap_url,
        "start_tls": join.start_tls,
        "bind_dn": join.bind_dn,
        "base_dn": join.base_dn,
        "ou": join.ou,
        "dns_host_name": join.dns_host_name,
        "spns": join.spns or None,
        "rotation_interval": join.rotation_interval,
        "ca_cert_file": join.ca and mounted.JOIN_CA,
        "insecure_skip_verify": join.insecure_skip_verify,
    }
