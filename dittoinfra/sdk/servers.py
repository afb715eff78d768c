"""The components that other programs declare for servers."""

import pulumi

from dittoinfra.sdk.followed_server import FollowedServer
from dittoinfra.sdk.server_inputs import DeployedServerArgs, ExistingServerArgs
from dittoinfra.urns import DEPLOYED_SERVER_TYPE, EXISTING_SERVER_TYPE


class ExistingServer(FollowedServer):
    """A DittoFS server that exists: the adapters that it serves become Services."""

    def __init__(
        self, name: str, args: ExistingServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(EXISTING_SERVER_TYPE, name, args, opts)


class DeployedServer(FollowedServer):
    """A DittoFS server that this component deploys, and the Services of the adapters that it serves."""

    def __init__(
        self, name: str, args: DeployedServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(DEPLOYED_SERVER_TYPE, name, args, opts)
