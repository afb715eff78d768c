"""From a kubeconfig or a service account to what an HTTP client needs, by kr8s."""

import asyncio
import importlib
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dittoinfra.cluster.errors import ClusterError
from dittoinfra.cluster.kubeconfig import KubeconfigSource

if TYPE_CHECKING:
    from kr8s._auth import KubeAuth

NEXT_STEP = "check the kubeconfig and its context"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Everything an HTTP client needs to talk to one cluster; its repr shows only where that is."""

    server: str
    namespace: str
    token: str | None = field(repr=False)
    verify: ssl.SSLContext | bool = field(repr=False)
    proxy: str | None = field(repr=False)
    tls_server_name: str | None


def authenticate(source: KubeconfigSource, context: str | None) -> Credentials:
    """Load credentials, running exec plugins if the kubeconfig names one."""
    # A thread of its own, because a Pulumi program already runs inside an event loop and kr8s needs one.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="kubeconfig") as pool:
        return pool.submit(asyncio.run, load_credentials(source, context)).result()


async def load_credentials(source: KubeconfigSource, context: str | None) -> Credentials:
    """The same from inside an event loop."""
    # Deferred: kr8s costs a noticeable part of a second, and many runs never need a cluster. In a thread:
    # whoever else is at work in this loop must not wait for it.
    # Its Api class would add a version check that warns about every Kubernetes newer than itself.
    kr8s_auth = await asyncio.to_thread(importlib.import_module, "kr8s._auth")
    # Its annotations know paths only and leave a coroutine untyped; it takes parsed content as well.
    auth: Any = kr8s_auth.KubeAuth(kubeconfig=source, context=context)
    try:
        await auth.reauthenticate()
        verify = await auth.ssl_context()
    except yaml.YAMLError:
        raise ClusterError(f"kubeconfig is not YAML; {NEXT_STEP}") from None
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RuntimeError) as error:
        raise ClusterError(f"no Kubernetes credentials: {_one_line(error)}; {NEXT_STEP}") from None
    finally:
        _forget_private_key(auth)
    return Credentials(
        server=auth.server,
        namespace=_namespace(auth),
        token=auth.token,
        verify=verify,
        proxy=auth.proxy,
        tls_server_name=auth.tls_server_name,
    )


def _namespace(auth: "KubeAuth") -> str:
    # kr8s reads the namespace of the current context even when another one was asked for.
    if auth.active_context:
        return str(auth.kubeconfig.get_context(auth.active_context).get("namespace") or "default")
    return auth.namespace


def _forget_private_key(auth: "KubeAuth") -> None:
    """Remove the temporary file kr8s writes an inline private key to, once the TLS context has read it."""
    if not auth.active_context or auth.client_key_file is None:
        return
    user = auth.kubeconfig.get_user(auth.kubeconfig.get_context(auth.active_context)["user"])
    if "client-key-data" in user:
        Path(auth.client_key_file).unlink(missing_ok=True)


def _one_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the kubeconfig has no {error.args[0]}"
    return " ".join(str(error).split()) or type(error).__name__
