"""What is remembered of a stack that was read without an engine."""

from pathlib import Path

from dittoinfra.settings.configuration import Configuration
from dittoinfra.stacks.stack_survey import StoredStack

PROVIDER = "urn:pulumi:dev::acme::pulumi:providers:kubernetes::default"


def _kubeconfig(path: Path, server: str) -> str:
    path.write_text(
        "{current-context: it, contexts: [{name: it, context: {cluster: it}}], "
        f"clusters: [{{name: it, cluster: {{server: '{server}'}}}}]}}"
    )
    return str(path)


def test_files_of_kubeconfigs_tell_that_every_object_is_replaced(tmp_path: Path) -> None:
    before, now = (_kubeconfig(tmp_path / name, f"https://{name}") for name in ("before", "now"))
    values = {"kubernetes:kubeconfig": now}
    resource = {"urn": PROVIDER, "outputs": {"kubeconfig": before}}
    configuration = Configuration("acme", "dev", tmp_path, values, frozenset())
    stored = StoredStack(configuration, {"resources": [resource]})

    assert stored.memory().replacing == ("kubeconfig",)
    _kubeconfig(tmp_path / "now", "https://before")
    assert stored.memory().replacing == ()
