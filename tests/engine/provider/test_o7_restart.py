"""`kubectl rollout restart` is left alone: the next update neither undoes it nor restarts the Pod again."""

from tests.engine.deploy.workload import media
from tests.engine.namespace import Namespace
from tests.engine.world import World

WORKLOAD = "apis/apps/v1:statefulsets/media"
RESTARTED = "kubectl.kubernetes.io/restartedAt"


def test_a_changed_label_leaves_the_restart_and_the_pods_template_alone(
    world: World, namespace: Namespace
) -> None:
    world.configure(media(namespace.name, deploy={}))
    world.up()
    restart = {"metadata": {"annotations": {RESTARTED: "2026-01-01T00:00:00Z"}}}
    namespace.merge(WORKLOAD, {"spec": {"template": restart}}, "kubectl-rollout")
    before = namespace.get(WORKLOAD)["spec"]["template"]

    world.configure(media(namespace.name, deploy={}, labels={"team": "storage"}))
    world.up()

    after = namespace.get(WORKLOAD)
    assert after["metadata"]["labels"]["team"] == "storage"
    assert after["spec"]["template"] == before
    world.assert_settled()
