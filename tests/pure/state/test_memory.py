"""Everything that a state tells, from a running engine and from an export."""

from typing import Any

from dittoinfra.nested_values import SECRET_KEY, SECRET_MARK, is_secret
from dittoinfra.state import exported_resources, held_providers, remember
from tests.pure.state.test_services import service, urn

PROVIDER = urn("default", "pulumi:providers:kubernetes")
HERE = {"renderYamlToDirectory": "here"}


def provider(**outputs: Any) -> dict[str, Any]:  # noqa: ANN401 - any setting
    return {PROVIDER: {"outputs": {"version": "4.32.0", **outputs}}}


def kubeconfig(server: str) -> str:
    return (
        "{current-context: it, contexts: [{name: it, context: {cluster: it}}], "
        f"clusters: [{{name: it, cluster: {{server: '{server}'}}}}]}}"
    )


def test_what_only_waits_to_be_deleted_is_not_held_any_more() -> None:
    kept, gone = {"urn": urn("media/nfs")}, {"urn": urn("media/smb"), "delete": True}

    assert set(exported_resources({"resources": [kept, gone]})) == {urn("media/nfs")}
    assert exported_resources({}) == {}


def test_adapters_are_remembered_from_an_exported_state_as_from_a_running_one() -> None:
    exported = {"resources": [{"urn": urn("media/nfs"), **service()}]}

    assert (
        remember(exported_resources(exported), {}, {}).adapters
        == remember({urn("media/nfs"): service()}, {}, {}).adapters
    )


def test_a_provider_that_leads_elsewhere_replaces_everything() -> None:
    assert remember(provider(**HERE), HERE, {}).replacing == ()
    assert remember(provider(**HERE), {"renderYamlToDirectory": "there"}, {}).replacing == (
        "renderYamlToDirectory",
    )


def test_a_kubeconfig_in_another_file_replaces_everything_where_it_leads_elsewhere() -> None:
    before, now = provider(kubeconfig="~/before"), {"kubeconfig": "~/now"}
    read = {"~/before": kubeconfig("https://here"), "~/now": kubeconfig("https://there")}

    assert held_providers(before) == [{"version": "4.32.0", "kubeconfig": "~/before"}]
    assert remember(before, now, read).replacing == ("kubeconfig",)
    assert remember(before, now, dict.fromkeys(read, read["~/now"])).replacing == ()


def test_a_setting_that_is_encrypted_in_an_export_is_not_compared() -> None:
    hidden = {SECRET_KEY: SECRET_MARK, "ciphertext": "v1:…"}

    assert is_secret(hidden)
    assert not is_secret({"ciphertext": "v1:…"})
    assert remember(provider(renderYamlToDirectory=hidden), HERE, {}).replacing == ()
