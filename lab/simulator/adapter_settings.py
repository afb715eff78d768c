"""The default settings of an adapter beside its port."""

from collections.abc import Mapping

from lab.simulator.answers import JSON
from lab.simulator.versions import ServerVersion


def default_settings(version: ServerVersion) -> Mapping[str, Mapping[str, JSON]]:
    """By the adapter's type."""
    return {
        "nfs": {
            "min_version": "3",
            "max_version": version.nfs_max_version,
            "lease_time": 90,
            "grace_period": 90,
            "delegation_recall_timeout": 90,
            "callback_timeout": 5,
            "lease_break_timeout": 35,
            "max_connections": 0,
            "max_clients": 10000,
            "max_compound_ops": 50,
            "max_read_size": 1048576,
            "max_write_size": 1048576,
            "preferred_transfer_size": 1048576,
            "delegations_enabled": True,
            "max_delegations": 10000,
            "dir_deleg_batch_window_ms": 50,
            "v4_min_minor_version": 0,
            "v4_max_minor_version": 2,
            "v4_max_connections_per_session": 16,
            "blocked_operations": [],
            "portmapper_enabled": False,
            "portmapper_port": 10111,
            "portmapper_register_with_system": False,
            "udp_enabled": False,
            "mdns_enabled": False,
        },
        "smb": {
            "min_dialect": "SMB2.0",
            "max_dialect": "SMB3.1.1",
            "session_timeout": 900,
            "oplock_break_timeout": 35,
            "max_connections": 0,
            "max_sessions": 10000,
            "enable_encryption": False,
            "signing": "",
            "directory_leasing_enabled": True,
            "blocked_operations": [],
            "mdns_enabled": False,
            "wsdiscovery_enabled": False,
        },
    }
