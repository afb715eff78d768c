"""Digests of the Secrets that deployed servers read at their start. The contents go no further than here."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence

from dittoinfra.decide.secret_restarts import KeyOfSecret, secret_digest, signing_key, watched_secrets
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_client import concurrently
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError
from dittoinfra.kubernetes.objects import read_object
from dittoinfra.model import Note
from dittoinfra.nested_values import block, text
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.settings import ServerSecrets, ServerSettings

_Place = tuple[str, str]
"""Namespace and name of a Secret."""
_Secret = Mapping[str, bytes] | RefusedByClusterError
"""Values by key, or why they may not be read."""


def read_digests(
    cluster: ProviderCluster | None,
    servers: Sequence[ServerSettings],
    made: Mapping[str, ServerSecrets],
) -> tuple[Mapping[str, Mapping[KeyOfSecret, str]], tuple[Note, ...]]:
    """Digests of what could be read, by server, and notes on Secrets that may not be read."""
    wanted = {server.name: (server, keys) for server, keys in _watched(servers, made)}
    if cluster is None or not wanted:
        return {}, ()
    places = {(server.namespace, name) for server, keys in wanted.values() for name, _ in keys}
    try:
        with cluster.connected():
            ordered = sorted(places)
            secrets = dict(zip(ordered, concurrently(lambda at: _read(cluster, at), ordered), strict=True))
    except ClusterError:
        # A cluster that does not answer is said elsewhere.
        return {}, ()
    digests = {
        name: dict(_digests(server, keys, secrets, made.get(name))) for name, (server, keys) in wanted.items()
    }
    return digests, tuple(
        Note(server.name, f"Secret {name} may not be read ({refused}): a change of it restarts no Pod")
        for server, keys in wanted.values()
        for name in dict.fromkeys(name for name, _ in keys)
        if isinstance(refused := secrets[server.namespace, name], RefusedByClusterError)
    )


def _watched(
    servers: Sequence[ServerSettings], made: Mapping[str, ServerSecrets]
) -> Iterator[tuple[ServerSettings, tuple[KeyOfSecret, ...]]]:
    for server in servers:
        deploy = server.deploy
        if deploy is not None and (keys := watched_secrets(server, deploy, made.get(server.name))):
            yield server, keys


def _digests(
    server: ServerSettings,
    keys: Sequence[KeyOfSecret],
    secrets: Mapping[_Place, _Secret],
    made: ServerSecrets | None,
) -> Iterator[tuple[KeyOfSecret, str]]:
    values = {
        (name, key): values[key]
        for name, key in keys
        if isinstance(values := secrets[server.namespace, name], Mapping) and key in values
    }
    jwt = made.jwt.get_secret_value().encode() if made is not None and made.jwt is not None else None
    if jwt is None and server.deploy is not None:
        jwt = values.get(signing_key(server, server.deploy))
    if jwt is not None:
        yield from ((this, secret_digest(jwt, value)) for this, value in values.items())


def _read(cluster: Cluster, place: _Place) -> _Secret:
    namespace, name = place
    try:
        found = read_object(cluster, "v1", "Secret", namespace, name) or {}
    except RefusedByClusterError as error:
        return error
    data = block(found, "data")
    return {key: value for key in data if (value := _decoded(text(data, key))) is not None}


def _decoded(encoded: str | None) -> bytes | None:
    try:
        return base64.b64decode(encoded) if encoded is not None else None
    except binascii.Error:
        return None
