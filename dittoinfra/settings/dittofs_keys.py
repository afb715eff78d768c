"""The keys of `config.yaml` that each tested version of the server reads: what `dfs config schema` lists."""

from collections.abc import Iterator, Mapping

Version = tuple[int, int, int]

_SINCE: dict[Version, Mapping[str, str]] = {
    (0, 0, 0): {
        "": "shutdown_timeout",
        "admin": "email password_hash username",
        "blockstore.local": "backpressure_max_wait default_remote_cache_size max_log_bytes",
        "controlplane": "drain_stall_timeout host idle_timeout port pprof pprof_block_rate_ns "
        "pprof_mutex_rate read_timeout require_initial_password_change write_timeout",
        "controlplane.jwt": "access_token_duration refresh_token_duration secret",
        "controlplane.tls": "cert_file client_ca key_file min_version",
        "database": "type",
        "database.postgres": "database host max_idle_conns max_open_conns password port ssl_root_cert "
        "sslmode user",
        "database.sqlite": "path",
        "gc": "auto_enabled auto_interval compaction_live_ratio dry_run_sample_size grace_period",
        "identity": "machine_sid",
        "kerberos": "context_ttl dns_domain enabled keytab_path krb5_conf max_clock_skew max_contexts "
        "netbios_domain realm service_principal",
        "kerberos.identity_mapping": "default_gid default_uid static_map strategy",
        "kerberos.machine_account": "account_name dc_address enabled keytab_path secret",
        "kerberos.machine_account.online_join": "base_dn bind_dn bind_password ca_cert_file dns_host_name "
        "enabled insecure_skip_verify ldap_url ou rotation_interval spns start_tls",
        "ldap": "allow_plaintext base_dn bind_dn bind_password enabled idmap max_group_results nested_groups "
        "realm start_tls timeout url user_attr",
        "ldap.tls": "ca_cert_file client_cert_file client_key_file insecure_skip_verify min_version",
        "logging": "format level output",
        "logging.rotation": "compress max_age max_backups max_size",
        "metadata.badger": "block_cache_mb index_cache_mb",
        "metrics": "auth enabled host path port token_file",
        "metrics.tls": "cert_file client_ca key_file min_version",
        "snapshot": "restore_http_timeout scheduler_disabled scheduler_poll_interval",
    },
    (0, 31, 0): {"integrity": "auto_enabled auto_interval"},
}
"""Sections with the keys in them, by the first version that reads them. What the oldest tested one, 0.29.0,
reads counts as read by those before it."""

FREE_SECTIONS = frozenset({"kerberos.identity_mapping.static_map"})
"""Sections whose keys are names that users choose."""


def _paths(sections: Mapping[str, str]) -> Iterator[str]:
    for section, keys in sections.items():
        steps = section.split(".") if section else []
        yield from (".".join(steps[: end + 1]) for end in range(len(steps)))
        yield from (".".join((*steps, key)) for key in keys.split())


KEYS_SINCE: Mapping[str, Version] = {
    path: version for version, sections in reversed(_SINCE.items()) for path in _paths(sections)
}
"""The first version that reads a key, by its path; every section is a key as well."""


def keys_below(section: str) -> frozenset[str]:
    """The keys directly in a section; those of the file itself for an empty one."""
    split = (path.rpartition(".") for path in KEYS_SINCE)
    return frozenset(key for above, _, key in split if above == section)
