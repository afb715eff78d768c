"""What the cluster's facts mean for a run."""

from dataclasses import replace
from typing import Any

import pytest

from dittoinfra.decide.custom_kinds import KindDecision, custom_objects, host_mapping
from dittoinfra.decide.guard import Guarded, guard, maker, namespaces_to_ask, patched_place, removals
from dittoinfra.decide.planned_objects import namespace_place, planned_namespaces, planned_objects
from dittoinfra.decide.refusals import ForeignObject, HeldElsewhere
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.object_model import (
    HeldObjects,
    LiveObject,
    LiveObjects,
    ObjectIdentity,
    ObjectPlace,
    OtherHolder,
    PlannedObject,
)
from dittoinfra.settings import ServerSecrets
from dittoinfra.state import Memory
from tests.pure.decide.make import server

FILES = namespace_place("files")
THERE = LiveObject({"name": "files"})
KUBECTL = LiveObject({"managedFields": [{"manager": "kubectl-create"}]})
DYING = LiveObject({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.com/hold"]})


def planned(**settings: Any) -> tuple[PlannedObject, ...]:  # noqa: ANN401  (any setting)
    adapters = (DeclaredAdapter("nfs", 12049, State.SERVING),)
    decision = ServerDecision("media", Answered(()), bootstrap=False, adapters=adapters)
    return planned_objects(server(namespace="files", **settings), decision)


NFS = planned()[0]


def judged(
    seen: LiveObjects,
    held: HeldObjects | None = None,
    trouble: str = "",
    **settings: Any,  # noqa: ANN401  (any setting)
) -> Guarded:
    servers, objects = [server(namespace="files", **settings)], planned(**settings)
    unseen = {this.place: trouble for this in objects if trouble and this.place not in seen}
    return guard(servers, objects, Memory(objects=held or {}), seen, unseen)


def holding(*objects: PlannedObject) -> HeldObjects:
    return {this.held: this.place for this in objects}


def known(uid: str, **managers: str) -> LiveObject:
    """An object of this uid, written by some manager."""
    return LiveObject({"uid": uid, "managedFields": [{"manager": name} for name in managers.values()]})


URN = "urn:pulumi:dev::acme::dittoinfra:index:Server$kubernetes:core/v1:Service::media/nfs"
HOLDING = Memory(
    objects=holding(NFS), identities={NFS.held: ObjectIdentity(URN, "1", "pulumi-kubernetes-1f9c33ab")}
)


@pytest.mark.parametrize(
    ("live", "refused"),
    [
        (known("1", by="kubectl-create"), False),
        (known("2", by="kubectl-create"), True),
        (known("2", by="pulumi-kubernetes-1f9c33ab"), False),
        (known("2", by="pulumi-kubernetes-0a1b2c3d"), True),
        (known("2", by="pulumi-kubernetes"), True),
        (LiveObject({"managedFields": [{"manager": "kubectl-create"}]}), False),
    ],
    ids=["the held one", "another manager's", "a copy of ours", "another stack's", "Pulumi's", "unknown"],
)
def test_an_object_that_others_deleted_and_made_again_is_theirs(live: LiveObject, refused: bool) -> None:
    seen = {NFS.place: live, FILES: THERE}

    found = guard([server(namespace="files")], planned(), HOLDING, seen)

    assert bool(found.refusals) is refused
    # The provider would delete an object of that name, whichever it is.
    removed = guard([server(namespace="files")], (), HOLDING, seen).refusals
    assert [type(this) for this in removed] == ([ForeignObject] if refused else [])


def test_without_a_noted_manager_every_object_of_the_provider_is_ours() -> None:
    identity = ObjectIdentity(URN, "1")
    memory = replace(HOLDING, identities={NFS.held: identity})

    assert guard([], (), memory, {NFS.place: known("2", by="pulumi-kubernetes-0a1b2c3d")}).refusals == ()
    assert guard([], (), memory, {NFS.place: known("2", by="kubectl-create")}).refusals != ()
    unknown = replace(HOLDING, identities={NFS.held: replace(identity, uid=None)})
    assert guard([], (), unknown, {NFS.place: known("2", by="kubectl-create")}).refusals == ()
    assert guard([], (), Memory(objects=HOLDING.objects), {NFS.place: known("2")}).refusals == ()


def test_a_removal_of_an_object_of_others_is_refused_with_the_way_to_let_it_go() -> None:
    helm = LiveObject({"uid": "2", "annotations": {"meta.helm.sh/release-name": "files"}})

    (refusal,) = guard([], (), HOLDING, {NFS.place: helm}).refusals

    assert str(refusal) == (
        "Service media-adapter-nfs in namespace files (of the Helm release files) would be deleted, and is "
        "not the one that this stack made: nothing is touched; take its own out of the state, which "
        f"deletes nothing in the cluster: `pulumi state delete '{URN}' --stack dev`"
    )


def test_an_object_that_moves_is_removed_where_it_was() -> None:
    before = replace(NFS.place, namespace="old")
    memory = replace(HOLDING, objects={NFS.held: before})

    assert removals(planned(), memory) == {NFS.held: before}
    assert removals(planned(), HOLDING) == {}
    (refusal,) = guard(
        [server(namespace="files")],
        planned(),
        memory,
        {before: known("2"), NFS.place: None, FILES: THERE},
    ).refusals
    assert isinstance(refusal, ForeignObject)


@pytest.mark.parametrize(
    ("memory", "live"),
    [
        (HOLDING, None),
        (HOLDING, LiveObject({**DYING.metadata, "uid": "2"})),
        (replace(HOLDING, objects={NFS.held: None}), known("2")),
        (replace(HOLDING, replacing=("context",)), known("2")),
    ],
    ids=["gone", "being deleted", "a state without its place", "in another cluster"],
)
def test_a_removal_that_hits_no_object_of_others_goes_on(memory: Memory, live: LiveObject | None) -> None:
    assert guard([], (), memory, {NFS.place: live}).refusals == ()


COMPONENT = "urn:pulumi:dev::acme::dittoinfra:index:ExistingServer::media"
HOLDER = OtherHolder("urn:pulumi:dev::acme::kubernetes:core/v1:Service::own", "1")


def guarded_from(holder: OtherHolder, seen: LiveObjects) -> Guarded:
    """A server that may adopt what exists, where another resource of its program holds the Service."""
    memory = Memory(elsewhere={NFS.place: holder})
    return guard([server(namespace="files", adopt=True)], planned(adopt=True), memory, seen)


def test_what_another_resource_of_the_program_holds_is_not_adopted() -> None:
    found = guarded_from(HOLDER, {NFS.place: known("1", by="pulumi-kubernetes")})

    assert found.adoptable == {}
    (refusal,) = found.refusals
    assert str(refusal) == (
        f"media: Service media-adapter-nfs in namespace files belongs to {HOLDER.urn} in the state of this "
        "program, and is deleted when that resource is: it is not taken over, not even with adopt: true; "
        "remove that resource from the state first, which does not delete the object: "
        f"`pulumi state delete '{HOLDER.urn}'`"
    )
    moved = replace(HOLDER, server="media", component=COMPONENT)
    (refusal,) = guarded_from(moved, {NFS.place: known("1", by="pulumi-kubernetes")}).refusals
    assert str(refusal).endswith(
        f'if it is the same server, add aliases=["{COMPONENT}"] to the options of this component'
    )


@pytest.mark.parametrize(
    ("holder", "seen", "refused"),
    [
        (HOLDER, {NFS.place: known("1")}, True),
        (replace(HOLDER, uid=None), {NFS.place: known("2")}, True),
        (HOLDER, {NFS.place: KUBECTL}, True),
        (HOLDER, {}, True),
        (HOLDER, {NFS.place: known("2")}, False),
        (HOLDER, {NFS.place: None, FILES: THERE}, False),
    ],
    ids=["the same", "the state has no UID", "the cluster tells no UID", "unread", "another one", "none"],
)
def test_what_may_be_the_same_object_is_not_adopted(
    holder: OtherHolder, seen: LiveObjects, refused: bool
) -> None:
    refusals = guarded_from(holder, seen).refusals

    assert [type(this) for this in refusals] == ([HeldElsewhere] if refused else [])


def test_what_is_not_there_is_created_without_a_word() -> None:
    assert judged({NFS.place: None, FILES: THERE}) == Guarded()


def test_what_the_stack_holds_is_its_own() -> None:
    assert judged({NFS.place: KUBECTL}, holding(NFS)) == Guarded()


def test_what_exists_and_is_not_held_is_refused_with_its_maker() -> None:
    (refusal,) = judged({NFS.place: KUBECTL}).refusals

    assert str(refusal) == (
        "media: Service media-adapter-nfs in namespace files (written by kubectl-create) exists already and "
        "this stack did not make it: nothing is touched; set adopt: true on the server to take it over "
        "(docs/migration.md), or give the server another name"
    )


def test_what_an_interrupted_run_may_have_made_is_said_with_the_command_that_finds_it() -> None:
    ours = LiveObject({"managedFields": [{"manager": "pulumi-kubernetes-1a2b3c4d"}]})

    (refusal,) = judged({NFS.place: ours}).refusals

    assert str(refusal).endswith(
        "; `dittoinfra up` finds what an interrupted run of this stack made (docs/recovery.md)"
    )


def test_an_object_that_moves_is_new_where_it_goes() -> None:
    (nfs,) = planned()
    elsewhere = {nfs.held: nfs.place.__class__("v1", "Service", "old", nfs.place.name)}

    (refusal,) = judged({NFS.place: KUBECTL}, elsewhere).refusals

    assert "exists already" in str(refusal)


def test_a_state_that_does_not_say_where_an_object_is_is_believed() -> None:
    assert judged({NFS.place: KUBECTL}, {NFS.held: None}) == Guarded()


@pytest.mark.parametrize("seen", [{NFS.place: KUBECTL}, {NFS.place: DYING}, {}])
def test_what_exists_or_may_exist_of_an_adopting_server_is_for_adoption(seen: LiveObjects) -> None:
    guarded = judged(seen, trouble="no answer", adopt=True)

    assert guarded.adoptable == {"media": {NFS.held}}
    assert (guarded.refusals, guarded.waiting) == ((), frozenset())


def test_nothing_there_is_nothing_to_adopt() -> None:
    assert judged({NFS.place: None}, adopt=True).adoptable == {}


@pytest.mark.parametrize("held", [{}, holding(NFS)])
def test_an_adapter_service_that_is_being_deleted_waits(held: HeldObjects) -> None:
    guarded = judged({NFS.place: DYING}, held)

    assert guarded.waiting == {NFS.held}
    assert guarded.refusals == ()
    (note,) = guarded.notes
    assert note.warning
    assert note.text.startswith(
        "Service media-adapter-nfs in namespace files is being deleted, held by example.com/hold: "
    )


def test_so_does_what_asks_for_its_names() -> None:
    mapping = host_mapping("media", "nfs")
    place = ObjectPlace(mapping.kind.api_version, mapping.kind.kind, "files", mapping.name)
    terminating = LiveObject({**DYING.metadata, "finalizers": ["router-hosts.fzymgc.house/host-cleanup"]})

    found = guard(
        [server(namespace="files")],
        [PlannedObject("media", mapping.held, place)],
        Memory(),
        {place: terminating},
    )

    assert found.waiting == {mapping.held}
    assert found.refusals == ()
    assert found.notes[0].text.endswith(
        "router-hosts lets it go when its operator has reached its server: see that both run"
    )


def test_anything_else_that_is_being_deleted_stops_the_run() -> None:
    config = next(this for this in planned(deploy={}) if this.place.kind == "ConfigMap")
    seen = {config.place: DYING}

    (refusal,) = judged(seen, deploy={}).refusals
    assert str(refusal) == (
        "media: ConfigMap media-config in namespace files is being deleted, held by example.com/hold: "
        "see why it does not finish, then run again"
    )
    (refusal,) = judged({config.place: LiveObject({"deletionTimestamp": "now"})}, deploy={}).refusals
    assert str(refusal).endswith("is being deleted, so it cannot be declared now; run again when it is gone")


def test_what_is_held_and_not_there_was_deleted() -> None:
    guarded = judged({NFS.place: None}, holding(NFS))

    assert guarded.gone == (NFS,)
    assert [note.text for note in guarded.notes] == [
        "Service media-adapter-nfs in namespace files was deleted in the cluster: `dittoinfra up` creates it "
        "again, and so does `pulumi up --refresh`"
    ]


def test_what_cannot_be_seen_is_not_gone_where_it_is_held_and_refused_where_it_would_be_created() -> None:
    assert judged({}, holding(NFS), "no answer") == Guarded()
    guarded = judged({}, {}, "no answer", deploy={})

    assert guarded.gone == ()
    assert [str(refusal) for refusal in guarded.refusals] == [
        "media: whether Service media-adapter-nfs in namespace files and 4 more exists already could not be "
        "seen (no answer): nothing is created, because an object of another manager would be taken over; "
        "see that the cluster answers and lets its user get these objects, then run again"
    ]
    (alone,) = judged({}, {}, "no answer").refusals
    assert str(alone).startswith("media: whether Service media-adapter-nfs in namespace files exists already")


def test_what_is_to_be_deleted_has_to_be_seen() -> None:
    (refusal,) = guard([], (), HOLDING, {}, {NFS.place: "no answer"}).refusals

    assert str(refusal) == (
        "whether Service media-adapter-nfs in namespace files is still the one that this stack made could "
        "not be seen (no answer): nothing is deleted, because the provider deletes by name; see that the "
        "cluster answers and lets its user get these objects, then run again"
    )


def test_an_object_of_a_kind_that_the_cluster_does_not_know_stops_no_run() -> None:
    assert judged({}) == Guarded()
    assert guard([], (), HOLDING, {}).refusals == ()


def test_a_namespace_is_asked_for_where_nothing_proves_it_there() -> None:
    unseen = {NFS.place: None}

    assert namespaces_to_ask([NFS], Memory(), unseen) == (FILES,)
    assert namespaces_to_ask([NFS], Memory(objects=holding(NFS)), unseen) == ()
    elsewhere = Memory(objects=holding(NFS), replacing=("context",))
    assert namespaces_to_ask([NFS], elsewhere, unseen) == (FILES,), "another cluster has none of them yet"
    assert namespaces_to_ask([NFS], Memory(), {NFS.place: KUBECTL}) == ()
    assert namespaces_to_ask([NFS], Memory(), {}) == ()
    assert (
        namespaces_to_ask(planned_namespaces(["files"], [server(namespace="files")]), Memory(), {FILES: None})
        == ()
    )


@pytest.mark.parametrize(
    ("settings", "then"),
    [({}, ""), ({"deploy": {}}, ", or set deploy.createNamespace: true")],
)
def test_a_missing_namespace_stops_the_run(settings: dict[str, Any], then: str) -> None:
    (refusal,) = judged({FILES: None}, **settings).refusals

    assert str(refusal) == (f"media: namespace files does not exist; `kubectl create namespace files`{then}")


def test_a_namespace_that_is_being_deleted_stops_the_run() -> None:
    (refusal,) = judged({FILES: DYING}).refusals

    assert str(refusal) == "media: namespace files is being deleted; run again once it exists again"


def test_a_namespace_that_the_stack_creates_is_not_missed() -> None:
    servers = [server(namespace="files", deploy={"createNamespace": True})]
    both = (*planned_namespaces(["files"], servers), *planned(deploy={"createNamespace": True}))

    assert guard(servers, both, Memory(), {FILES: None}).refusals == ()


def test_a_workload_keeps_the_time_of_its_restart() -> None:
    workload = next(this for this in planned(deploy={}) if this.place.kind == "StatefulSet")
    live = LiveObject({}, restarted="2026-01-01T00:00:00Z")

    guarded = judged({workload.place: live}, holding(*planned(deploy={})), deploy={})

    assert guarded.restarts == {"media": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("metadata", "made"),
    [
        ({"ownerReferences": [{"kind": "DittoServer", "name": "media"}]}, "owned by DittoServer/media"),
        ({"annotations": {"meta.helm.sh/release-name": "files"}}, "of the Helm release files"),
        (
            {"managedFields": [{"manager": "pulumi-kubernetes"}], "labels": {"a": "b"}},
            "made by Pulumi, for another stack or by an interrupted run of this one",
        ),
        (
            {"managedFields": [{"manager": "argocd"}], "labels": {"app.kubernetes.io/managed-by": "Argo"}},
            "managed by Argo",
        ),
        (
            {
                "managedFields": [
                    {"manager": "kubectl-create"},
                    {"manager": "kubectl-create"},
                    {"manager": "controller", "subresource": "status"},
                ]
            },
            "written by kubectl-create",
        ),
        ({}, "of an unknown maker"),
    ],
)
def test_the_maker_is_named_as_far_as_the_object_tells(metadata: dict[str, Any], made: str) -> None:
    assert maker(LiveObject(metadata)) == made


def test_a_split_off_udp_service_waits_as_the_adapters_own_does() -> None:
    settings: dict[str, Any] = {"adapters": {"types": {"nfs": {"extras": {"udp": True}, "splitUdp": True}}}}
    udp = next(this for this in planned(**settings) if this.place.name.endswith("-udp"))

    assert judged({udp.place: DYING}, holding(*planned(**settings)), **settings).waiting == {udp.held}


def test_ports_that_only_an_update_takes_over_are_known() -> None:
    posted = {"managedFields": [{"manager": "pulumi-kubernetes", "operation": "Update"}]}
    content = {"metadata": posted, "spec": {"ports": [{"name": "adapter-nfs", "port": 12049}]}}
    seen = {NFS.place: LiveObject(posted, content=content)}

    assert judged(seen, holding(NFS)).unapplied == {NFS.held: {"adapter-nfs": 12049}}
    assert judged(seen).unapplied == {}, "it is not this stack's"


def test_ports_are_patched_onto_the_statefulset_of_the_servers_name() -> None:
    place = patched_place(server("media", namespace="files"))

    assert str(place) == "StatefulSet media in namespace files"


def test_the_table_of_a_whole_server() -> None:
    settings: dict[str, Any] = {
        "networkPolicy": {"mode": "defaultDeny"},
        "deploy": {
            "metrics": {"enabled": True, "serviceMonitor": {"enabled": True}},
            "api": {"ingress": {"host": "media.example.com"}},
            "podDisruptionBudget": True,
        },
    }
    adapters = (DeclaredAdapter("nfs", 12049, State.SERVING),)
    decision = ServerDecision("media", Answered(()), bootstrap=False, adapters=adapters)
    secrets = ServerSecrets.model_validate({"jwt": "x" * 40, "adminPassword": "y" * 20})
    configured = server(namespace="files", **settings)

    def names(kinds: KindDecision) -> list[str]:
        return [
            f"{p.place.kind}/{p.place.name}" for p in planned_objects(configured, decision, kinds, secrets)
        ]

    whole = [
        "Service/media-adapter-nfs",
        "NetworkPolicy/media-adapter-nfs",
        "NetworkPolicy/media-baseline",
        "NetworkPolicy/media-default-deny",
        "Service/media-api",
        "Service/media-metrics",
        "Ingress/media-api",
        "Service/media-headless",
        "PodDisruptionBudget/media",
        "ConfigMap/media-config",
        "Secret/media-jwt-secret",
        "Secret/media-admin-bootstrap-credentials",
        "StatefulSet/media",
    ]
    assert names(KindDecision()) == [*whole, "ServiceMonitor/media-metrics"]
    assert names(KindDecision(frozenset(custom_objects(configured)))) == whole


def test_an_edit_of_a_declared_field_is_said_with_who_made_it() -> None:
    (first, *_) = planned()
    declared = {"metadata": {"labels": {"instance": "media"}}}
    labels: dict[str, Any] = {"f:metadata": {"f:labels": {"f:instance": {}}}}
    metadata = {
        "labels": {"instance": "theirs"},
        "managedFields": [{"manager": "kubectl-label", "fieldsV1": labels}],
    }
    live = LiveObject(metadata, content={"metadata": metadata})

    found = guard(
        [server("media")],
        [first],
        Memory(objects={first.held: first.place}, contents={first.held: {**declared, "__inputs": declared}}),
        {first.place: live},
    )

    assert found.edited == (first,)
    assert [note.text for note in found.notes] == [
        f"{first} was edited in the cluster by kubectl-label (metadata.labels.instance): `dittoinfra up` "
        "puts it back, and so does `pulumi up --refresh`"
    ]


@pytest.mark.parametrize(("now", "found"), [("192.0.2.1", False), ("192.0.2.2", True)])
def test_a_service_whose_load_balancer_has_another_address_is_no_edit(now: str, found: bool) -> None:
    def service(address: str) -> dict[str, Any]:
        return {"metadata": {}, "status": {"loadBalancer": {"ingress": [{"ip": address}]}}}

    objects = planned()
    [first, *_] = [this for this in objects if this.held.kind == "Service"]
    memory = Memory(objects=holding(*objects), contents={first.held: service("192.0.2.1")})

    judged = guard([server("media")], [first], memory, {first.place: LiveObject({}, content=service(now))})

    assert judged.readdressed == ((first,) if found else ())
    assert (judged.edited, judged.notes) == ((), ())
