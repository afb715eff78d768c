"""What is said of a Kubernetes provider that does not suit, in the words of the program's language."""

import pytest

from dittoinfra.sdk.cluster_provider import ClusterProvider


@pytest.mark.parametrize("name", [None, "cluster"])
def test_only_programs_in_python_are_told_of_a_name_in_python(name: str | None) -> None:
    provider = ClusterProvider(name, {"kubernetes:upsertExistingObjects": "true"})

    [here] = provider.problems(remote=False)
    [elsewhere] = provider.problems(remote=True)

    assert str(here).endswith(" with `**dittoinfra.PROVIDER_SETTINGS`")
    assert str(elsewhere).endswith(" with these settings")
    assert "must have enablePatchForce, enableConfigMapMutable, enableSecretMutable set to" in str(elsewhere)
