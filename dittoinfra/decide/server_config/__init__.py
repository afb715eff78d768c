"""How a deployed server is configured: its file, its environment, and what is mounted for it. Pure."""

from dittoinfra.decide.server_config.file import ADMIN, config_hash, config_yaml
from dittoinfra.decide.server_config.mounted import CONFIG_FILE, CONFIG_KEY, Mount, MountItem, mounts
from dittoinfra.decide.server_config.percona import percona_spec
from dittoinfra.decide.server_config.variables import (
    JWT_KEY,
    PASSWORD_KEY,
    USERNAME_KEY,
    EnvVar,
    SecretRef,
    environment,
)
from dittoinfra.decide.server_config.waiting import InitContainer, init_containers

__all__ = [
    "ADMIN",
    "CONFIG_FILE",
    "CONFIG_KEY",
    "JWT_KEY",
    "PASSWORD_KEY",
    "USERNAME_KEY",
    "EnvVar",
    "InitContainer",
    "Mount",
    "MountItem",
    "SecretRef",
    "config_hash",
    "config_yaml",
    "environment",
    "init_containers",
    "mounts",
    "percona_spec",
]
