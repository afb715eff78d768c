"""What an adapter can be set to beside its port."""

from tests.contract.dittofs.subject import ADAPTERS, Subject, assert_object, assert_problem, types_of

_NFS = f"{ADAPTERS}/nfs/settings"
_SMB = f"{ADAPTERS}/smb/settings"

_NFS_DEFAULTS = {
    "min_version": "3",
    "portmapper_enabled": False,
    "portmapper_port": 10111,
    "portmapper_register_with_system": False,
    "udp_enabled": False,
    "mdns_enabled": False,
}
_SMB_DEFAULTS = {
    "min_dialect": "SMB2.0",
    "max_dialect": "SMB3.1.1",
    "mdns_enabled": False,
    "wsdiscovery_enabled": False,
}


def test_the_settings_of_nfs(api: Subject) -> None:
    settings = assert_object(api.as_admin("GET", _NFS))

    assert _NFS_DEFAULTS.items() <= settings.items()
    assert settings["max_version"] == api.version.nfs_max_version
    assert len(settings) == 26
    assert types_of(settings)["version"] is int


def test_the_settings_of_smb(api: Subject) -> None:
    settings = assert_object(api.as_admin("GET", _SMB))

    assert _SMB_DEFAULTS.items() <= settings.items()
    assert len(settings) == 13


def test_a_patch_is_partial_and_counts_as_a_version(api: Subject) -> None:
    before = assert_object(api.as_admin("GET", _NFS))

    after = assert_object(api.as_admin("PATCH", _NFS, {"udp_enabled": True, "unknown": 1}))

    assert after == before | {"udp_enabled": True, "version": before["version"] + 1}
    assert assert_object(api.as_admin("GET", _NFS)) == after
    restored = assert_object(api.as_admin("PATCH", _NFS, {"udp_enabled": False}))
    assert restored["udp_enabled"] is False


def test_a_port_of_the_portmapper_is_checked_unlike_that_of_the_adapter(api: Subject) -> None:
    answer = api.as_admin("PATCH", _NFS, {"portmapper_port": 70000})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "Validation Failed",
        "status": 422,
        "detail": "One or more settings are outside valid range",
        "errors": {"portmapper_port": "must be between 1 and 65535"},
    }


def test_a_patch_of_the_wrong_type_is_refused(api: Subject) -> None:
    answer = api.as_admin("PATCH", _NFS, {"udp_enabled": 1})

    assert_problem(answer, 400, "Bad Request", "Invalid request body")


def test_an_unknown_adapter_has_no_settings(api: Subject) -> None:
    for method in ("GET", "PATCH"):
        answer = api.as_admin(method, f"{ADAPTERS}/ftp/settings", {})

        assert_problem(answer, 404, "Not Found", "Adapter not found")
