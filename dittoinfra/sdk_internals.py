"""Every private name of Pulumi's SDK that is used here, and why there is no way around it.

Private is what starts with an underscore, and what no module of the SDK exports. Each was observed with
`TESTED_SDK`; `test_sdk_internals.py` checks the installed SDK against it.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import pulumi
from pulumi import automation as auto
from pulumi.automation._stack import StackInitMode
from pulumi.resource import DependencyResource
from pulumi.runtime import get_config_env
from pulumi.runtime._depends_on import _resolve_depends_on
from pulumi.runtime.config import CONFIG
from pulumi.runtime.resource import all_aliases, collapse_alias_to_urn
from pulumi.runtime.rpc import _expand_dependencies

TESTED_SDK: Final = "3.272.0"

_OWN_CONNECTIONS: Final = ("grpc.use_local_subchannel_pool", 1)


# What is read: every program comes here, a plain `pulumi up` included.


def running_configuration() -> Mapping[str, Any]:
    """The whole configuration of the running program by key.

    `pulumi.Config` only returns values of known keys; an unknown key must be refused, not ignored.
    """
    return {**get_config_env(), **CONFIG.get()}


def former_urns(name: str, kind: str, opts: pulumi.ResourceOptions) -> "list[pulumi.Input[str]]":
    """URNs that a component may have had, by its aliases and those of its parent.

    The SDK computes them for the engine, and has no public function for them.
    """
    parent = opts.parent
    # A parent in another process has no aliases that could be seen here; the engine passes on what counts.
    if isinstance(parent, DependencyResource):
        return [collapse_alias_to_urn(alias, name, kind, parent) for alias in opts.aliases or ()]
    return all_aliases(opts.aliases, name, kind, parent)


async def resolved_depends_on(opts: pulumi.ResourceOptions) -> set[pulumi.Resource]:
    """The resources that `depends_on` comes to, which may be outputs, and lists of them."""
    return await _resolve_depends_on(opts._depends_on_list())  # noqa: SLF001


def children(resource: pulumi.Resource) -> set[pulumi.Resource]:
    """The resources declared so far with this one as their parent; the SDK has no public list of them."""
    return resource._childResources  # noqa: SLF001


async def wait_until_registered(resources: Iterable[pulumi.Resource]) -> None:
    """Wait until the engine knows these resources; of a component of this process, all that is in it.

    The SDK has no public way to ask which components are of this process.
    """
    await _expand_dependencies(resources, None)


# What is patched: only inline runs come here, and nothing is where a plain `pulumi up` runs the program.


def patch_sdk() -> None:
    """Patch the SDK for the rest of the process. Call it before the first inline run; it is idempotent."""
    _share_no_connections()
    pulumi.log.debug = _no_debug_message


def _share_no_connections() -> None:
    """No run uses the connections that another one has left.

    A program that the engine aborted leaves a connection that keeps trying a dead port. As connections are
    shared by default, it would fail a later run whose engine happens to get that port. Where the private name
    is gone, nothing is patched: no run depends on it.
    """
    try:
        from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS as OPTIONS
    except ImportError:
        return
    if _OWN_CONNECTIONS not in OPTIONS:
        OPTIONS.append(_OWN_CONNECTIONS)


def _no_debug_message(
    msg: str,
    resource: pulumi.Resource | None = None,
    stream_id: int | None = None,
    ephemeral: bool | None = None,
) -> None:
    """Send no debug messages.

    For each resource the SDK sends the engine about twenty of them, each a blocking round trip, and the
    engine shows them with `--debug` only, which no operation here uses.
    """
    del msg, resource, stream_id, ephemeral


class InlineStack(auto.Stack):
    """The SDK's stack, without the CLI starts that the caller does not need.

    The SDK starts the CLI to select a stack, though every operation names it; and after an update three more
    times, for outputs and history, secrets decrypted. The event stream has delivered everything by then, so
    these starts are skipped, and no secret is read into memory.
    """

    def __init__(self, name: str, workspace: auto.LocalWorkspace) -> None:
        # The SDK's own constructor only stores these three and selects or creates the stack.
        self.name = name
        self.workspace = workspace
        self._mode = StackInitMode.SELECT

    def outputs(self) -> auto.OutputMap:
        """Empty: the recorder has the outputs."""
        return {}

    def info(self, show_secrets: bool = False) -> auto.UpdateSummary:
        """A summary that only says that the update completed."""
        del show_secrets
        return auto.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")
