"""The user that the stack asks as, on a server that it has just deployed with an administrator of its own."""

from dittoinfra.decide.server_config import ADMIN
from dittoinfra.dittofs import Login
from dittoinfra.dittofs.users import Created, administrators_login, give_reader
from dittoinfra.fleet.overheard import Asked
from dittoinfra.program import LiveInquiry
from dittoinfra.settings import ServerSecrets, ServerSettings


def first_administrator(secrets: ServerSecrets | None) -> Login | None:
    """Of a server that the stack deploys with a password of its own making; None where others made it."""
    if secrets is None or secrets.admin_password is None:
        return None
    return administrators_login(ADMIN, secrets.admin_password)


def make_reader(asked: Asked, server: ServerSettings, live: LiveInquiry) -> bool:
    """Whether the user could be made: only where the stack has the login for it, and the user is new."""
    administrator = first_administrator(asked.stack.server_secrets.get(server.name))
    ways = asked.context.copy().run(live.ways, asked.stack, [server], asked.found)
    if administrator is None or server.name not in ways:
        return False
    return isinstance(give_reader(ways[server.name], administrator, new_password=False), Created)
