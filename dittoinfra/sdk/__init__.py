"""What other Pulumi programs import: components for servers, and the function that asks many of them.

`from dittoinfra import ...` gives these names; nothing here is loaded before one of them is used. The types
of nested inputs are in `dittoinfra.inputs`.
"""

from dittoinfra.sdk.ask import ServedAdapter as ServedAdapter
from dittoinfra.sdk.ask import ServerAnswer as ServerAnswer
from dittoinfra.sdk.ask import ServerQuestion as ServerQuestion
from dittoinfra.sdk.ask import ask_servers as ask_servers
from dittoinfra.sdk.cluster_provider import PROVIDER_SETTINGS as PROVIDER_SETTINGS
from dittoinfra.sdk.cluster_provider import ProviderSettings as ProviderSettings
from dittoinfra.sdk.headless_service import HeadlessService as HeadlessService
from dittoinfra.sdk.output_types import Adapter as Adapter
from dittoinfra.sdk.output_types import Condition as Condition
from dittoinfra.sdk.output_types import Dns as Dns
from dittoinfra.sdk.output_types import Endpoints as Endpoints
from dittoinfra.sdk.server_inputs import DeployedServerArgs as DeployedServerArgs
from dittoinfra.sdk.server_inputs import ExistingServerArgs as ExistingServerArgs
from dittoinfra.sdk.server_inputs import HeadlessPort as HeadlessPort
from dittoinfra.sdk.server_inputs import HeadlessServiceArgs as HeadlessServiceArgs
from dittoinfra.sdk.servers import DeployedServer as DeployedServer
from dittoinfra.sdk.servers import ExistingServer as ExistingServer
