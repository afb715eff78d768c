"""Labels: what identifies an object wins over what is configured."""

from dittoinfra import naming


def test_an_adapters_service_carries_the_operators_labels_and_the_recommended_ones() -> None:
    assert naming.adapter_labels("media", "nfs", naming.ADAPTER_SERVICE_LABEL, {"team": "storage"}) == {
        "team": "storage",
        "app": "dittofs-server",
        "instance": "media",
        "app.kubernetes.io/name": "dittofs",
        "app.kubernetes.io/instance": "media",
        "app.kubernetes.io/part-of": "dittofs",
        "app.kubernetes.io/managed-by": "pulumi",
        "app.kubernetes.io/component": "adapter",
        "dittofs.io/adapter-service": "true",
        "dittofs.io/adapter-type": "nfs",
    }


def test_a_configured_label_cannot_hide_a_server_or_an_adapter() -> None:
    pretended = {"instance": "other", "dittofs.io/adapter-type": "smb", "app.kubernetes.io/name": "other"}

    assert naming.adapter_labels(
        "media", "nfs", naming.ADAPTER_SERVICE_LABEL, pretended
    ) == naming.adapter_labels("media", "nfs", naming.ADAPTER_SERVICE_LABEL, {})


def test_what_selects_a_servers_pods_is_on_everything_of_that_server() -> None:
    labels = naming.server_labels("media", {"app": "other"})

    assert naming.selector("media").items() <= labels.items()
