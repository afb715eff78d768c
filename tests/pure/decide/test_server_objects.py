"""What is declared for a server, to the last field."""

import base64
from typing import Any, Literal

from dittoinfra.decide.custom_kinds import KindDecision, custom_objects
from dittoinfra.decide.names import NamedAdapter
from dittoinfra.decide.server_objects import ServerArgs, namespace_object, server_objects
from dittoinfra.model import Answered, DeclaredAdapter, HostNames, Located, ServerDecision, State
from dittoinfra.nested_values import UNKNOWN
from dittoinfra.object_model import DeclaredObject, HeldObject, SecretsSeen
from dittoinfra.settings import DnsSettings, ServerSecrets, ServerSettings
from lab.bed.credentials import credential
from tests.pure.decide.make import server

NFS = DeclaredAdapter("nfs", 12049, State.SERVING)
OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8"}}
POLICY = "networking.k8s.io/v1 NetworkPolicy"


def declared(
    settings: ServerSettings,
    *adapters: DeclaredAdapter,
    preview: bool = False,
    **more: Any,  # noqa: ANN401 - fields of ServerArgs
) -> dict[str, DeclaredObject]:
    decision = ServerDecision(settings.name, Answered(()), bootstrap=False, adapters=adapters or (NFS,))
    found = server_objects(ServerArgs(settings, decision, **more), preview=preview)
    assert {this.server for this in found} <= {settings.name}
    return {f"{this.held.api_version} {this.held.kind} {this.held.name}": this for this in found}


def manifests(
    settings: ServerSettings, adapter: DeclaredAdapter = NFS, named: NamedAdapter | None = None
) -> dict[str, Any]:
    names = {adapter.type: named} if named else {}
    return {name: this.manifest for name, this in declared(settings, adapter, names=names).items()}


def named(
    kind: Literal["Service", "HostMapping"] = "Service",
    *addresses: str,
    aliases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> NamedAdapter:
    names = HostNames(
        "media", "nfs", "files", "media-adapter-nfs", "external-dns", "nfs.example.com", aliases, kind=kind
    )
    dns = DnsSettings(tags=list(tags))
    return NamedAdapter(names, {"external-dns/hostname": "nfs.example.com"}, Located(addresses), dns)


def test_a_service_is_declared_to_the_last_field() -> None:
    found = manifests(server(namespace="files", adapters={"service": {"sourceRanges": ["10.0.0.0/8"]}}))

    assert found == {
        "v1 Service media/nfs": {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "media-adapter-nfs",
                "namespace": "files",
                "labels": {
                    "app": "dittofs-server",
                    "instance": "media",
                    "dittofs.io/adapter-service": "true",
                    "dittofs.io/adapter-type": "nfs",
                    "app.kubernetes.io/name": "dittofs",
                    "app.kubernetes.io/instance": "media",
                    "app.kubernetes.io/managed-by": "pulumi",
                    "app.kubernetes.io/part-of": "dittofs",
                    "app.kubernetes.io/component": "adapter",
                },
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            "spec": {
                "type": "LoadBalancer",
                "selector": {"app": "dittofs-server", "instance": "media"},
                "ports": [
                    {"name": "adapter-nfs", "port": 12049, "targetPort": 12049, "protocol": "TCP"},
                ],
                "loadBalancerSourceRanges": ["10.0.0.0/8"],
            },
        }
    }


def test_deletions_are_waited_for_as_long_as_they_may_take() -> None:
    adapters = {"service": {"removalTimeout": "45s"}}
    deploy = {"api": {"ingress": {"host": "a.example"}}, "podDisruptionBudget": True}
    found = declared(server(adapters=adapters, deploy=deploy))

    assert {name: this.removal_timeout for name, this in found.items()} == {
        "v1 Service media/nfs": "45s",
        "v1 Service media-api": "20s",
        "networking.k8s.io/v1 Ingress media-api": None,
        "v1 Service media-headless": "20s",
        "policy/v1 PodDisruptionBudget media": "20s",
        "v1 ConfigMap media-config": "20s",
        "apps/v1 StatefulSet media": None,
    }


def test_objects_that_were_in_components_of_their_own_are_moved_and_not_replaced() -> None:
    found = declared(server(deploy={}, networkPolicy={"mode": "enabled"}))

    assert {name: this.former_parent for name, this in found.items() if this.former_parent} == {
        "v1 Service media/nfs": "dittoinfra:index:AdapterService",
        f"{POLICY} media/nfs": "dittoinfra:index:AdapterService",
        "v1 Service media-headless": "dittoinfra:index:HeadlessService",
    }


def test_fields_that_a_type_has_no_use_for_are_left_out() -> None:
    inside = {"type": "ClusterIP", "wait": True}
    outside = {"type": "NodePort", "externalTrafficPolicy": "Local", "sessionAffinity": "ClientIP"}

    (within,) = manifests(server(adapters={"service": inside})).values()
    (beyond,) = manifests(server(adapters={"service": outside})).values()

    assert within["spec"].keys() == {"type", "selector", "ports"}
    assert "annotations" not in within["metadata"]
    assert beyond["spec"]["externalTrafficPolicy"] == "Local"
    assert beyond["spec"]["sessionAffinity"] == "ClientIP"


def test_only_the_first_of_two_services_has_the_host_name() -> None:
    settings = server(adapters={"types": {"nfs": {"extras": {"udp": True}, "splitUdp": True}}})
    absent = DeclaredAdapter("nfs", 12049, State.ABSENT, absences=2)

    found = manifests(settings, absent, named())

    annotations = {name: this["metadata"]["annotations"] for name, this in found.items()}
    assert {"external-dns/hostname" in each for each in annotations.values()} == {True, False}
    assert len(annotations) == 2
    assert all("2" in each.values() for each in annotations.values())
    protocols = [[port["protocol"] for port in this["spec"]["ports"]] for this in found.values()]
    assert sorted(protocols) == [["TCP"], ["UDP"]]


def test_policies_let_in_what_the_settings_say() -> None:
    policy = {"mode": "defaultDeny", "from": [OFFICE], "ports": [8080]}
    found = manifests(server(networkPolicy=policy))

    names = {name.rpartition(" ")[2]: this for name, this in found.items() if "NetworkPolicy" in name}
    assert set(names) == {"media/nfs", "media-baseline", "media-default-deny"}
    assert names["media/nfs"]["spec"]["ingress"][0]["from"] == [OFFICE]
    assert "ingress" not in names["media-default-deny"]["spec"]
    assert names["media/nfs"]["spec"]["podSelector"] == {
        "matchLabels": {"app": "dittofs-server", "instance": "media"}
    }


def test_a_service_that_is_still_being_deleted_is_left_out() -> None:
    assert not declared(server(), waiting=frozenset({HeldObject("v1", "Service", "media/nfs")}))


def test_ports_that_only_stand_in_another_order_are_no_change() -> None:
    held = HeldObject("v1", "Service", "media/nfs")
    ours = {"name": "adapter-nfs", "port": 12049, "targetPort": 12049, "protocol": "TCP"}
    live = {"__inputs": {"spec": {"ports": [ours]}}, "spec": {"ports": [{"name": "other", "port": 1}, ours]}}

    assert declared(server())["v1 Service media/nfs"].ignored == ()
    assert declared(server(), contents={held: live})["v1 Service media/nfs"].ignored == ("spec.ports",)


def test_traffic_is_denied_after_it_is_allowed() -> None:
    found = declared(server(networkPolicy={"mode": "defaultDeny", "ports": [8080]}))

    before = {this.name for this in found[f"{POLICY} media-default-deny"].after}
    assert before == {"media/nfs", "media-baseline"}


def test_a_host_mapping_is_declared_when_there_is_an_address() -> None:
    name = "router-hosts.fzymgc.house/v1alpha1 HostMapping media-adapter-nfs"

    assert name not in manifests(server(), named=named("HostMapping"))
    found = manifests(server(), named=named("HostMapping", "192.0.2.1"))[name]
    assert found["spec"] == {"hostname": "nfs.example.com", "ip": "192.0.2.1"}
    more = manifests(server(), named=named("HostMapping", "192.0.2.1", aliases=("a",), tags=("files",)))[name]
    assert more["spec"].items() >= {"aliases": ["a"], "tags": ["files"]}.items()
    mapped = {"nfs": named("HostMapping", "192.0.2.1")}
    waiting = frozenset({HeldObject(*name.split())})
    assert name not in declared(server(), names=mapped, waiting=waiting)


def test_a_deployed_server_starts_from_what_is_declared_before_it() -> None:
    password = credential("administrator")
    secrets = ServerSecrets.model_validate({"jwt": credential("signing-key"), "adminPassword": password})

    found = declared(server(deploy={"podDisruptionBudget": True}), secrets=secrets)

    admin = found["v1 Secret media-admin-bootstrap-credentials"]
    encoded = base64.b64encode(password.encode()).decode()
    assert admin.manifest["data"] == {"username": "YWRtaW4=", "password": encoded}
    assert encoded not in repr(admin)
    stateful_set = found["apps/v1 StatefulSet media"]
    assert [this.name for this in stateful_set.after] == [
        "media-config",
        "media-jwt-secret",
        "media-admin-bootstrap-credentials",
    ]
    assert stateful_set.manifest["spec"]["replicas"] == 1
    assert found["policy/v1 PodDisruptionBudget media"].manifest["spec"]["maxUnavailable"] == 0
    assert found["v1 Service media-headless"].manifest["spec"]["clusterIP"] == "None"


def test_the_signing_key_alone_is_a_secret_of_its_own() -> None:
    secrets = ServerSecrets.model_validate({"jwt": credential("signing-key")})
    credentials = {"adminPassword": {"secret": "s", "key": "k"}}

    found = declared(server(deploy={"credentials": credentials}), secrets=secrets)

    assert [name for name in found if "Secret" in name] == ["v1 Secret media-jwt-secret"]


def test_a_preview_leaves_unknown_what_only_the_update_knows() -> None:
    secrets = ServerSecrets.model_validate(
        {"jwt": credential("signing-key"), "adminPassword": credential("admin")}
    )
    settings = server(deploy={})

    known = declared(settings, secrets=secrets)
    later = declared(settings, secrets=secrets, secrets_known=False)
    replaced = declared(settings, secrets=secrets, replaces=True, preview=True)

    assert UNKNOWN not in _annotations(known).values()
    assert UNKNOWN not in _annotations(declared(settings, secrets=secrets, replaces=True)).values()
    assert UNKNOWN in _annotations(later).values()
    assert UNKNOWN in _annotations(replaced).values()
    assert later["v1 Secret media-jwt-secret"].manifest["data"] == {"jwt-secret": UNKNOWN}


def test_a_restart_by_hand_and_changed_secrets_stay_in_the_template() -> None:
    seen = SecretsSeen(restart="a-hash")
    found = declared(server(deploy={}), restarted="2026-11-18T08:00:00Z", secrets_seen=seen)

    assert {"a-hash", "2026-11-18T08:00:00Z"} <= set(_annotations(found).values())


def test_an_ingress_leads_to_the_api() -> None:
    route = {"host": "media.example.com"}
    more = {**route, "ingressClass": "nginx", "tlsSecret": "media-tls"}
    name = "networking.k8s.io/v1 Ingress media-api"

    plain = manifests(server(deploy={"api": {"ingress": route}}))[name]["spec"]
    whole = manifests(server(deploy={"api": {"ingress": more}}))[name]["spec"]

    assert plain.keys() == {"rules"}
    assert plain["rules"][0]["host"] == "media.example.com"
    assert whole["ingressClassName"] == "nginx"
    assert whole["tls"] == [{"hosts": ["media.example.com"], "secretName": "media-tls"}]


def test_a_database_is_created_before_its_server_and_stays_after_it() -> None:
    settings = server(deploy={"database": {"percona": {}}})
    going = server(deploy={"database": {"percona": {"deleteWithServer": True}}})
    name = "pgv2.percona.com/v2 PerconaPGCluster media-postgres"

    found = declared(settings)

    assert found[name].retained
    assert found[name].held in found["apps/v1 StatefulSet media"].after
    assert not declared(going)[name].retained
    unknown = KindDecision(frozenset(custom_objects(settings)))
    assert name not in declared(settings, kinds=unknown)


def test_claims_have_a_class_where_the_settings_name_one() -> None:
    storage = {"content": {"size": "5Gi", "storageClass": "fast"}}
    found = manifests(server(deploy={"storage": storage, "metrics": {}}))["apps/v1 StatefulSet media"]

    claims = {this["metadata"]["name"]: this["spec"] for this in found["spec"]["volumeClaimTemplates"]}
    assert claims["content"]["storageClassName"] == "fast"
    assert "storageClassName" not in claims["controlplane"]


def test_ports_are_patched_into_a_stateful_set_of_another_manager() -> None:
    name, settings = "apps/v1 StatefulSetPatch media", server(patchPorts=True)

    [patch] = [this for this in declared(settings).values() if this.patches]
    assert patch.ignored == ()
    assert declared(settings, patched_ports="adapter-nfs=12049/TCP")[name].ignored == ("spec",)
    assert name not in declared(settings, live_ports=frozenset({"data=12049/TCP"}))


def test_a_namespace_stays_when_its_stack_goes() -> None:
    assert namespace_object("files").retained
    assert namespace_object("files").namespace == ""


def _annotations(found: dict[str, DeclaredObject]) -> dict[str, str]:
    template = found["apps/v1 StatefulSet media"].manifest["spec"]["template"]
    annotations: dict[str, str] = template["metadata"]["annotations"]
    return annotations
