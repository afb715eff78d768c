"""Objects of kinds that a cluster may not know: left out only on its own word, and never once they exist."""

from dittoinfra.decide.custom_kinds import (
    HTTP_ROUTE,
    SERVICE_MONITOR,
    CustomObject,
    KindDecision,
    Knowledge,
    Unasked,
    custom_objects,
    decide_kinds,
)
from dittoinfra.object_model import HeldObject
from tests.pure.decide.make import server

MONITOR = CustomObject("media", SERVICE_MONITOR, "media-metrics")
HELD = frozenset({HeldObject("monitoring.coreos.com/v1", "ServiceMonitor", "media-metrics")})
OTHERS_HELD = frozenset({HeldObject("monitoring.coreos.com/v1", "ServiceMonitor", "archive-metrics")})


def decided(knowledge: Knowledge | None, held: frozenset[HeldObject] = frozenset()) -> KindDecision:
    return decide_kinds([MONITOR], {} if knowledge is None else {SERVICE_MONITOR: knowledge}, held)


def told(decision: KindDecision) -> list[tuple[str, str, bool]]:
    return [(note.server, note.text, note.warning) for note in decision.notes]


def test_a_kind_that_the_cluster_serves_is_declared_without_a_word() -> None:
    assert decided(True) == KindDecision()
    assert decided(True).declares(MONITOR)


def test_without_a_cluster_to_ask_everything_is_declared_without_a_word() -> None:
    assert decided(None) == KindDecision()


def test_a_kind_that_the_cluster_does_not_serve_is_left_out_with_the_way_to_get_it() -> None:
    decision = decided(False, OTHERS_HELD)

    assert not decision.declares(MONITOR)
    assert told(decision) == [
        (
            "media",
            "ServiceMonitor of monitoring.coreos.com/v1 is unknown to the cluster: left out; install "
            "Prometheus Operator, which brings the definition servicemonitors.monitoring.coreos.com, "
            "then run again",
            True,
        )
    ]


def test_what_the_stack_holds_is_kept_whatever_became_of_its_kind() -> None:
    decision = decided(False, HELD)

    assert decision.declares(MONITOR)
    assert told(decision) == [
        (
            "media",
            "ServiceMonitor of monitoring.coreos.com/v1 is unknown to the cluster, but this stack holds it: "
            "kept; install Prometheus Operator, which brings the definition "
            "servicemonitors.monitoring.coreos.com, or drop the setting",
            True,
        )
    ]


def test_a_cluster_that_gives_no_answer_removes_nothing() -> None:
    decision = decided(Unasked("no answer"), HELD)

    assert decision.declares(MONITOR)
    assert told(decision) == [
        (
            "media",
            "ServiceMonitor may be unknown to the cluster: no answer; declared all the same",
            True,
        )
    ]


def test_a_server_wants_what_its_settings_ask_for() -> None:
    def names(**deploy: object) -> list[tuple[str, str]]:
        wanted = tuple(custom_objects(server(deploy=deploy)))
        assert {this.server for this in wanted} <= {"media"}
        return [(this.kind.kind, this.name) for this in wanted]

    monitored = {"enabled": True, "serviceMonitor": {"enabled": True}}
    issued = {"secret": "tls", "certificate": {"issuer": {"name": "ca"}}}
    assert names(metrics=monitored) == [("ServiceMonitor", "media-metrics")]
    assert names(metrics={"serviceMonitor": {"enabled": True}}) == [], "there is nothing to scrape"
    assert names(api={"tls": issued}) == [("Certificate", "media-api")]
    assert names(api={"tls": {"secret": "tls"}}) == []
    assert names(api={"gateway": {"host": "a.example", "gateway": "g"}}) == [("HTTPRoute", "media-api")]
    assert names(database={"percona": {}}) == [("PerconaPGCluster", "media-postgres")]
    assert names() == []
    assert tuple(custom_objects(server())) == (), "a server that exists already is not ours to equip"


def test_a_kind_that_is_served_says_nothing_of_one_that_is_not() -> None:
    route = CustomObject("media", HTTP_ROUTE, "media-api")

    decision = decide_kinds([route, MONITOR], {SERVICE_MONITOR: False}, frozenset())

    assert decision.left_out == {MONITOR}


def test_one_servers_object_says_nothing_of_anothers() -> None:
    other = CustomObject("archive", SERVICE_MONITOR, "archive-metrics")

    decision = decide_kinds([MONITOR, other], {SERVICE_MONITOR: False}, HELD)

    assert decision.declares(MONITOR)
    assert not decision.declares(other)


def test_what_each_of_them_consists_of() -> None:
    monitor = {"enabled": True, "interval": "30s", "labels": {"release": "prometheus"}}
    route = {"host": "a.example", "gateway": "g", "gatewayNamespace": "edge", "section": "https"}
    issued = {"secret": "tls", "certificate": {"issuer": {"name": "ca"}, "dnsNames": ["a.example"]}}
    token = {"secret": "scrape", "key": "token"}
    media = server(
        deploy={
            "metrics": {"enabled": True, "serviceMonitor": monitor, "bearerToken": token},
            "api": {"tls": issued, "gateway": {**route, "annotations": {"example.com/a": "b"}}},
        }
    )

    metrics, certificate, http = custom_objects(media)

    assert metrics.labels["release"] == "prometheus"
    assert metrics.labels["app.kubernetes.io/component"] == "metrics"
    assert metrics.spec["selector"] == {
        "matchLabels": {
            "app": "dittofs-server",
            "instance": "media",
            "app.kubernetes.io/component": "metrics",
        }
    }
    assert metrics.spec["endpoints"] == [
        {
            "port": "metrics",
            "path": "/metrics",
            "interval": "30s",
            "authorization": {"type": "Bearer", "credentials": {"name": "scrape", "key": "token"}},
        }
    ]
    assert certificate.spec["issuerRef"] == {"name": "ca", "kind": "Issuer", "group": "cert-manager.io"}
    assert certificate.spec["dnsNames"][0] == "media-api"
    assert certificate.spec["dnsNames"][-1] == "a.example"
    assert http.spec == {
        "parentRefs": [{"name": "g", "namespace": "edge", "sectionName": "https"}],
        "hostnames": ["a.example"],
        "rules": [{"backendRefs": [{"name": "media-api", "port": 8080}]}],
    }
    assert http.annotations == {"example.com/a": "b"}
