"""Which kubeconfig a setting means, and the credentials in it, read by kr8s.

No message quotes a setting that may be content: a kubeconfig holds tokens and private keys.
"""

import base64
import os
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from dittoinfra.kubernetes.cluster_errors import ClusterError, NoClusterError
from dittoinfra.settings.provider import is_kubeconfig_content, kubeconfig_paths

if TYPE_CHECKING:
    from kr8s._auth import KubeAuth

KubeconfigSource = str | dict[str, Any] | None
"""Path(s), parsed content, or None for KUBECONFIG, then ~/.kube/config, then the Pod's service account."""

TESTED_KR8S: Final = "0.20.15"
"""The version whose private `KubeAuth` was seen to do what is expected of it here."""

_WHERE: Final = "kubernetes:kubeconfig (or KUBECONFIG)"

_PATH_BEGINS: Final = ("/", "~", ".")
"""No kubeconfig begins so, in base64 or in the clear."""

_NEXT_STEP = "check the kubeconfig and its context"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Everything an HTTP client needs to talk to one cluster; its repr shows only where that is."""

    server: str
    namespace: str
    token: str | None = field(repr=False)
    verify: ssl.SSLContext | bool = field(repr=False)
    proxy: str | None = field(repr=False)
    tls_server_name: str | None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that authenticate a request."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def extensions(self) -> dict[str, str]:
        """What httpx has to know of a server whose certificate has another name."""
        return {"sni_hostname": self.tls_server_name} if self.tls_server_name else {}


async def load_credentials(source: KubeconfigSource, context: str | None) -> Credentials:
    """The credentials in a kubeconfig, from its exec plugin if it names one; or `ClusterError`."""
    # Deferred: kr8s costs a noticeable part of a second, and many runs never need a cluster.
    # Its Api class would add a version check that warns about every Kubernetes newer than itself.
    from kr8s._auth import KubeAuth

    # Its annotations know paths only and leave a coroutine untyped; it takes parsed content as well.
    make: Any = KubeAuth
    auth = make(kubeconfig=source, context=context)
    try:
        await auth.reauthenticate()
        verify = await auth.ssl_context()
    except yaml.YAMLError:
        raise ClusterError("kubeconfig is not YAML", _NEXT_STEP) from None
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RuntimeError) as error:
        # With a kubeconfig there is a cluster, whose login may have failed for the moment.
        kind = ClusterError if auth.server or auth.active_context else NoClusterError
        raise kind(f"no Kubernetes credentials: {_one_line(error)}", _NEXT_STEP) from None
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


def kubeconfig_source(setting: str | None) -> KubeconfigSource:
    """What a setting means that is a path or content, as `kubernetes:kubeconfig` accepts both."""
    if not setting or not setting.strip():
        return None
    if _is_base64(setting):
        raise ClusterError("the kubeconfig is base64", f"give it decoded, or as a file, in {_WHERE}")
    if is_kubeconfig_content(setting):
        return _parse(setting)
    parts = setting.split(os.pathsep)
    if not any(map(_is_file, parts)):
        named = f" {setting}" if all(part.startswith(_PATH_BEGINS) for part in parts) else ""
        step = f"name an existing file or give its content in {_WHERE}"
        raise ClusterError(f"kubeconfig{named} is not a file", step)
    return setting


def read_kubeconfigs(providers: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The text of every kubeconfig that providers' settings name by its path; empty if it cannot be read."""
    return {path: _text(path) for path in kubeconfig_paths(providers)}


def _text(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, RuntimeError, ValueError):
        return ""


def _is_file(path: str) -> bool:
    try:
        return Path(path).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):
        # Content in the place of a path: too long for one, say.
        return False


def _is_base64(setting: str) -> bool:
    try:
        return b"clusters" in base64.b64decode("".join(setting.split()), validate=True)
    except ValueError:
        return False


def _parse(content: str) -> dict[str, Any]:
    # The parser's own message quotes the lines around the mistake, and those may hold credentials.
    try:
        parsed = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ClusterError(f"kubeconfig content is not YAML{_line_of(error)}", f"check {_WHERE}") from None
    if not isinstance(parsed, dict) or "clusters" not in parsed:
        raise ClusterError("kubeconfig content has no clusters", f"check {_WHERE}")
    return parsed


def _line_of(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark is not None else ""
