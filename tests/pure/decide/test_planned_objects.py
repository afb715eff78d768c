"""The list of a server's planned objects matches what is declared."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dittoinfra.decide.custom_kinds import KindDecision, custom_objects
from dittoinfra.decide.planned_objects import planned_objects
from dittoinfra.decide.server_objects import ServerArgs, server_objects
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.object_model import HeldObject, ObjectPlace
from dittoinfra.settings import ServerSecrets, ServerSettings
from lab.bed.credentials import credential

ROUTE = {"host": "media.example.com"}


def optional(key: str, value: object) -> st.SearchStrategy[dict[str, object]]:
    """A setting that is there or not."""
    return st.sampled_from([{}, {key: value}])


def merged(*parts: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


APIS = merged(
    st.sampled_from([{}, {"ingress": ROUTE}, {"gateway": {**ROUTE, "gateway": "public"}}]),
    optional("tls", {"secret": "media-tls", "certificate": {"issuer": {"name": "ca"}}}),
)
DEPLOYMENTS = st.builds(
    lambda api, rest: {"api": api, **rest},
    APIS,
    merged(
        optional("metrics", {"enabled": True, "serviceMonitor": {"enabled": True}}),
        optional("podDisruptionBudget", value=True),
        optional("database", {"percona": {}}),
    ),
)
SERVERS = merged(
    DEPLOYMENTS.flatmap(lambda deploy: optional("deploy", deploy)),
    st.sampled_from(["disabled", "enabled", "defaultDeny"]).map(
        lambda mode: {"networkPolicy": {"mode": mode, "ports": [8080]}}
    ),
    st.sampled_from(
        [{}, {"extras": {"udp": True}}, {"extras": {"udp": True}, "splitUdp": True}, {"splitUdp": True}]
    ).map(lambda types: {"adapters": {"types": {"nfs": types}}}),
)
TYPES = st.sets(st.sampled_from(["nfs", "smb", "an-adapter-of-a-very-long-name-that-has-to-be-cut"]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SERVERS, TYPES, st.booleans(), st.booleans())
def test_what_is_planned_is_what_is_declared(
    server: dict[str, Any], types: set[str], secret: bool, served: bool
) -> None:
    configured = ServerSettings.model_validate({"name": "media", "namespace": "files", **server})
    secrets = (
        ServerSecrets.model_validate({"jwt": credential("signing-key"), "adminPassword": credential("admin")})
        if secret and configured.deploy
        else None
    )
    kinds = KindDecision(frozenset() if served else frozenset(custom_objects(configured)))
    adapters = tuple(DeclaredAdapter(name, 1000 + n, State.SERVING) for n, name in enumerate(sorted(types)))
    decision = ServerDecision("media", Answered(()), bootstrap=False, adapters=adapters)

    args = ServerArgs(configured, decision, kinds, secrets)
    declared: list[tuple[HeldObject, ObjectPlace]] = [
        (this.held, ObjectPlace(this.api_version, this.kind, this.namespace, this.name))
        for this in server_objects(args)
    ]

    planned = [(this.held, this.place) for this in planned_objects(configured, decision, kinds, secrets)]
    assert sorted(map(str, planned)) == sorted(map(str, declared))
    assert all(this.server == "media" for this in planned_objects(configured, decision, kinds, secrets))
