"""Where an object has several owners, annotations or faults, each of them is told. Pure."""

from dittoinfra.decide.adoption_rules import Leftover, Used, decide_takeover
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.refusals import ExistsAlready
from dittoinfra.settings import Deploy
from tests.pure.decide.make import server
from tests.pure.decide.test_adoption import LABELS, OWNER, adoption, found, obstacle

OTHER = {"kind": "Release", "name": "files", "uid": "2"}


def test_every_note_is_about_the_server_that_is_taken_over() -> None:
    left = Leftover("Service", "media-file", (), of_adapter=False)
    used = Used("Secret", {"metadata": {"name": "jwt", "ownerReferences": [OWNER]}})

    notes = decide_takeover(server(), [adoption(found())], [left], [used], bootstrap=False).notes

    assert [note.server for note in notes] == ["media", "media", "media"]


def test_several_owners_are_told_one_by_one() -> None:
    both = [OWNER, OTHER]
    left = Leftover("Service", "media-file", ("DittoServer/media", "Release/files"), of_adapter=False)
    used = Used("Secret", {"metadata": {"name": "jwt", "ownerReferences": both}})

    assert (
        adoption(found(ownerReferences=both))
        .note()
        .text.endswith(": adopted; loses its owner DittoServer/media, Release/files")
    )
    assert left.note("media").text.endswith("; Kubernetes deletes it with DittoServer/media, Release/files")
    assert used.note("media").text.endswith(
        ": it loses its owner DittoServer/media, Release/files, and stays"
    )


def test_several_annotations_are_left_one_by_one() -> None:
    fields = {"f:metadata": {"f:annotations": {"f:one": {}, "f:two": {}}}, "f:data": {"f:a": {}}}
    this = found(
        there={"data": {"a": "1"}},
        here={"data": {"a": "1"}},
        annotations={"one": "1", "two": "1"},
        managedFields=[{"manager": "m", "operation": "Update", "fieldsV1": fields}],
    )

    assert adoption(this).note().text.endswith(": adopted; left on it: annotation one, two")


def test_a_change_is_told_with_the_place_where_it_is() -> None:
    there = {"spec": {"ports": [{"name": "nfs", "port": 2049}], "type": "ClusterIP"}}
    here = {"spec": {"ports": [{"name": "nfs", "port": 12049}], "type": "LoadBalancer"}}

    assert (
        adoption(found("Service", there, here))
        .note()
        .text.endswith(": adopted; changed on it: spec.ports[nfs].port, spec.type")
    )


def test_everything_that_stands_in_the_way_is_told_at_once() -> None:
    this = found(
        "Service",
        {"spec": {"clusterIP": "10.0.0.1"}},
        {"spec": {"clusterIP": "None"}},
        deletionTimestamp="now",
        finalizers=["a.example/lb", "b.example/lb"],
    )

    assert obstacle(this) == (
        "media: Service media cannot be adopted: it is being deleted, held by a.example/lb, b.example/lb: "
        "see why it does not finish, then run again; it is not headless there and headless here, "
        "which Kubernetes does not let change: delete it, and run again"
    )


def test_a_claim_that_cannot_change_is_to_be_written_as_it_is() -> None:
    planned = planned_fields(server(), Deploy.model_validate({}))
    this = found("StatefulSet", {"spec": {}}, {"spec": {}})._replace(fixed=planned)

    assert obstacle(this, deploy={"storage": {"metadata": {"size": "20Gi"}}}).endswith(
        "deploy.storage.metadata.size is 10Gi there and 20Gi here, which Kubernetes does not let change: "
        "write here what is there"
    )


def test_labels_that_change_are_told_as_a_whole() -> None:
    assert adoption(found(labels={**LABELS, "app": "other"})).note().text.endswith("; changed on it: labels")


def test_several_objects_of_others_are_told_one_by_one() -> None:
    assert str(ExistsAlready("media", ("Service a", "Secret b"))).startswith(
        "media: Service a, Secret b exist already and this stack did not make them: "
    )
