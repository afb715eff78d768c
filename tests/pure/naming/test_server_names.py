"""Names and labels of a server's objects beyond its adapters'."""

from dittoinfra import naming


def test_objects_have_the_operators_names() -> None:
    assert naming.api_service("media") == "media-api"
    assert naming.metrics_service("media") == "media-metrics"
    assert naming.headless_service("media") == "media-headless"
    assert naming.baseline_policy("media") == "media-baseline"
    assert naming.default_deny_policy("media") == "media-default-deny"


def test_a_certificate_covers_every_name_of_the_api_inside_the_cluster() -> None:
    assert naming.api_host_names("media", "files") == [
        "media-api",
        "media-api.files",
        "media-api.files.svc",
        "media-api.files.svc.cluster.local",
        "media-0.media-headless.files.svc",
        "media-0.media-headless.files.svc.cluster.local",
    ]


def test_a_policy_is_labelled_as_the_operator_labels_it_and_is_no_service() -> None:
    labels = naming.adapter_labels("media", "nfs", naming.ADAPTER_POLICY_LABEL, {"team": "storage"})

    assert labels["dittofs.io/adapter-networkpolicy"] == "true"
    assert labels["dittofs.io/adapter-type"] == "nfs"
    assert labels["app.kubernetes.io/component"] == "adapter"
    assert labels["team"] == "storage"
    assert naming.selector("media").items() <= labels.items()
    assert "dittofs.io/adapter-service" not in labels


def test_a_component_is_labelled_as_such() -> None:
    assert naming.component_labels("media", "metrics", {})["app.kubernetes.io/component"] == "metrics"
