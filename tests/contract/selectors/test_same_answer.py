"""Our selectors and the API's: the same objects, the same selector, the same answer."""

from hypothesis import given, settings

from dittoinfra.settings.selectors import LabelSelector
from tests.contract.selectors.cluster import Cluster
from tests.contract.selectors.strategies import Labelled, labelled
from tests.pure.naming.strategies import unhurried


@settings(unhurried, max_examples=60)
@given(labelled())
def test_a_selector_selects_what_the_api_selects(cluster: Cluster, drawn: Labelled) -> None:
    cluster.hold(drawn.objects)

    for written in drawn.selectors:
        selector = LabelSelector.model_validate(written)
        ours = {f"object-{place}" for place, own in enumerate(drawn.objects) if selector.matches(own)}
        assert ours == cluster.select(selector.query()), selector.query()
