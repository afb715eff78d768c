"""The stand-in does what the official Kubernetes provider was recorded to do, on a whole cluster."""

from collections.abc import Iterator

import pytest

from lab.bed.cluster import KubernetesCluster
from lab.standin import StandInProvider
from tests.contract.provider.contract import (
    OWN_KINDS,
    TRANSCRIPTS,
    deviations,
    found,
    is_slow,
    recorded,
    scenarios,
)
from tests.contract.provider.play import play


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The address of a stand-in that each scenario configures for itself."""
    with StandInProvider() as provider:
        yield f"127.0.0.1:{provider.port}"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if is_slow(name) else []) for name in scenarios()],
)
def test_the_stand_in_does_as_the_official_provider(
    name: str, provider: str, kubernetes_cluster: KubernetesCluster
) -> None:
    played = play(name, provider, str(kubernetes_cluster.kubeconfig))

    lines = list(found(name, played))
    assert not lines, "\n".join(lines)


def test_every_scenario_was_recorded() -> None:
    assert sorted(path.stem for path in TRANSCRIPTS.glob("*.json")) == scenarios()


def test_a_difference_is_noticed() -> None:
    official = recorded("service-create")
    first, *others = official["steps"]
    other = {**official, "steps": [first | {"outcome": "error"}, *others]}

    assert list(found("service-create", other)) == [
        "steps[0 preview-create].outcome: official 'ok', here 'error'"
    ]


def test_nothing_that_dittoinfra_declares_is_excused() -> None:
    for deviation in deviations():
        assert deviation.scenario in scenarios()
        assert deviation.reason
        assert deviation.scenario.partition("-")[0] not in OWN_KINDS
