"""Changes for which Kubernetes would need another StatefulSet, of a whole stack. Pure."""

from dittoinfra.decide import planned_fields, replacements
from tests.decide.make import server


def test_every_servers_change_is_told() -> None:
    before = [server(name, deploy={}) for name in ("archive", "media")]
    after = [server(this.name, namespace="other", deploy={}) for this in before]
    held = {this.name: planned_fields(this, this.deploy) for this in before if this.deploy is not None}

    assert [(refusal.server, refusal.field) for refusal in replacements(after, held)] == [
        ("archive", "namespace"),
        ("media", "namespace"),
    ]
    assert replacements(before, held) == ()
