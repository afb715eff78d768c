"""What must be there before the server starts."""

from dataclasses import dataclass

from dittoinfra.decide.server_config.mounted import CONFIG_FILE, Mount, mounts
from dittoinfra.decide.server_config.variables import EnvVar, environment
from dittoinfra.settings import Deploy, ServerSettings

DFS = "/app/dfs"

_ATTEMPTS = 150
_PAUSE_SECONDS = 2


@dataclass(frozen=True, slots=True)
class InitContainer:
    """A container that must end well before the server's starts; it runs as restricted as that one."""

    name: str
    image: str
    command: tuple[str, ...]
    env: tuple[EnvVar, ...]
    mounts: tuple[Mount, ...]


def init_containers(server: ServerSettings, deploy: Deploy) -> tuple[InitContainer, ...]:
    """A database that is only just being made is waited for: the server itself gives up at once.

    It waits with the server's own image, settings and login, because an open port is no usable database yet.
    """
    if deploy.database.percona is None:
        return ()
    command = ("/bin/sh", "-c", waiting_script(DFS, CONFIG_FILE))
    return (
        InitContainer(
            "wait-for-database", deploy.image, command, environment(server, deploy), mounts(server, deploy)
        ),
    )


def waiting_script(dfs: str, config_file: str) -> str:
    """Migrates the database once it can; ends with the last reason on its output when it never could."""
    return (
        f"attempt=1; until {dfs} migrate --config {config_file}; do "
        f"[ $attempt -ge {_ATTEMPTS} ] && exit 1; "
        f"attempt=$((attempt + 1)); sleep {_PAUSE_SECONDS}; done"
    )
