"""The provider's cluster as the way to APIs and passwords that only it reaches."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from anyio.abc import ByteStream

from dittoinfra.cluster import ClusterError
from dittoinfra.cluster.errors import (
    ForbiddenError,
    NotReadyError,
    NotThereError,
    SecretUnusableError,
    UnansweredError,
    UnknownUserError,
)
from dittoinfra.cluster.live import LiveCluster
from dittoinfra.cluster.pods import pod_behind, pod_rule, running_pod, slices_rule
from dittoinfra.cluster.portforward import forward_rules, open_port
from dittoinfra.cluster.rules import ROLE, Rule, role_yaml
from dittoinfra.cluster.secret_keys import read_secret, secret_rule
from dittoinfra.dittofs import FinalError, Login, PassingError, PasswordSource, StoredLogin, Tunnel
from dittoinfra.dittofs.wording import line
from dittoinfra.model import Denied, Note, Unreachable
from dittoinfra.program.surroundings import provider_kubeconfig, renders_manifests
from dittoinfra.settings import ByPortForward, PasswordSecret, PodTarget, ServerSettings, ServiceTarget
from dittoinfra.settings.inside import filled


class Inside:
    """Reaches servers through one cluster, and remembers what it was not allowed to do."""

    def __init__(self, cluster: LiveCluster) -> None:
        self._cluster = cluster
        self._needed: dict[str, set[Rule]] = {}
        self._refused: dict[str, dict[str, str]] = {}

    def tunnel(self, server: str, way: ByPortForward) -> Tunnel:
        """What opens streams to the API of a server."""
        namespace = way.target.namespace
        self._need(namespace, _rules_for(way.target))

        async def open_stream() -> ByteStream:
            with self._judged(server):
                match way.target:
                    case PodTarget(_, name):
                        pod = await running_pod(self._cluster, namespace, name)
                    case ServiceTarget(_, name):
                        pod = await pod_behind(self._cluster, namespace, name)
                return await open_port(self._cluster, namespace, pod, way.port)

        return open_stream

    def stored_login(self, server: ServerSettings, secret: PasswordSecret) -> StoredLogin:
        """What reads the login of a server."""
        namespace = secret.namespace or server.namespace
        name = filled(secret.name, server.name, server.namespace)
        self._need(namespace, [secret_rule(name)])
        where = f"key {secret.key} of Secret {name} in namespace {namespace}"
        source = PasswordSource(where, "put the right one there, or correct api.passwordSecret")
        keys = [secret.key, *([secret.username_key] if secret.username_key else [])]

        async def read() -> Login:
            with self._judged(server.name):
                found = await read_secret(self._cluster, namespace, name, keys)
            user = found[secret.username_key].get_secret_value() if secret.username_key else None
            return Login(user or server.api.username, found[secret.key], source)

        return read

    @property
    def needed(self) -> Mapping[str, frozenset[Rule]]:
        """What has to be allowed in each namespace."""
        return {namespace: frozenset(rules) for namespace, rules in self._needed.items()}

    def notes(self) -> tuple[Note, ...]:
        """For each namespace that refused something: the Role that would allow all that is needed in it."""
        return tuple(
            Note(", ".join(sorted(refused)), _how_to_allow(namespace, refused, self._needed[namespace]))
            for namespace, refused in sorted(self._refused.items())
        )

    def _need(self, namespace: str, rules: Iterable[Rule]) -> None:
        self._needed.setdefault(namespace, set()).update(rules)

    @contextmanager
    def _judged(self, server: str) -> Iterator[None]:
        """What the cluster says becomes an outcome of the server's poll."""
        try:
            yield
        except ForbiddenError as error:
            self._refused.setdefault(error.namespace, {})[server] = error.who
            self._need(error.namespace, [error.rule])
            step = f"allow it with the Role {ROLE} that this run prints"
            raise FinalError(Denied(line(str(error), step))) from None
        except (SecretUnusableError, UnknownUserError) as error:
            raise FinalError(Denied(_one_line(error))) from None
        except NotThereError as error:
            raise FinalError(Unreachable(_one_line(error))) from None
        except (NotReadyError, UnansweredError) as error:
            raise PassingError(Unreachable(_one_line(error))) from None
        except ClusterError as error:
            raise FinalError(Unreachable(_one_line(error))) from None


def provider_inside(environ: Mapping[str, str]) -> Inside | None:
    """The cluster that the provider uses; None where it writes manifests and there is none."""
    return None if renders_manifests() else Inside(LiveCluster(*provider_kubeconfig(environ)))


def _rules_for(target: PodTarget | ServiceTarget) -> Iterator[Rule]:
    match target:
        case PodTarget(_, name):
            yield pod_rule(name)
            yield from forward_rules(name)
        case ServiceTarget():
            yield slices_rule()
            yield from forward_rules(None)


def _how_to_allow(namespace: str, refused: Mapping[str, str], needed: Iterable[Rule]) -> str:
    who = ", ".join(sorted(set(refused.values())))
    return (
        f"this Role allows what is needed in namespace {namespace}; apply it and bind it to {who}:\n"
        f"{role_yaml(namespace, needed)}"
    )


def _one_line(error: ClusterError) -> str:
    cause, _, step = str(error).rpartition("; ")
    return line(cause, step) if cause else str(error)
