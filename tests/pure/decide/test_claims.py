"""Changes for which Kubernetes would need another StatefulSet, of a whole stack. Pure."""

from dittoinfra.decide.immutable_fields import planned_fields, replaced, replacements
from tests.pure.decide.make import server


def test_every_servers_change_is_told() -> None:
    before = [server(name, deploy={}) for name in ("archive", "media")]
    after = [server(this.name, namespace="other", deploy={}) for this in before]
    held = {this.name: planned_fields(this, this.deploy) for this in before if this.deploy is not None}

    assert [(refusal.server, refusal.field) for refusal in replacements(after, held)] == [
        ("archive", "namespace"),
        ("media", "namespace"),
    ]
    assert replacements(before, held) == ()


def test_only_a_changed_statefulset_whose_server_asks_for_it_is_replaced() -> None:
    before = server("media", deploy={})
    assert before.deploy is not None
    held = {"media": planned_fields(before, before.deploy)}
    larger = {"metadata": {"size": "20Gi"}}

    assert replaced([server("media", deploy={"storage": {**larger, "replace": True}})], held) == {"media"}
    assert replaced([server("media", deploy={"storage": {"replace": True}})], held) == frozenset()
    assert replaced([server("media", deploy={"storage": larger})], held) == frozenset()
    assert (
        replaced([server("new", deploy={"storage": {"replace": True}}), server("old")], held) == frozenset()
    )
