"""The probes, which need no login."""

from tests.contract.dittofs.subject import ADAPTERS, Subject, assert_object, types_of


def test_health_says_that_the_server_lives(api: Subject) -> None:
    body = assert_object(api.call("GET", "/health"))

    assert types_of(body) == {"status": str, "timestamp": str, "data": dict}
    assert body["status"] == "healthy"
    assert types_of(body["data"]) == {
        "control_plane_db": str,
        "service": str,
        "started_at": str,
        "uptime": str,
        "uptime_sec": int,
    }
    assert body["data"]["service"] == "dittofs"


def test_readiness_names_the_running_adapters(api: Subject) -> None:
    def running() -> object:
        body = assert_object(api.call("GET", "/health/ready"))
        assert types_of(body["data"]) == {
            "adapters": dict,
            "grace_period": dict,
            "metadata_stores": int,
            "shares": int,
        }
        adapters = body["data"]["adapters"]
        assert adapters["running"] == len(adapters["types"])
        return set(adapters["types"])

    assert running() == {"nfs", "smb"}
    assert api.as_admin("PUT", f"{ADAPTERS}/smb", {"enabled": False}).status_code == 200
    assert running() == {"nfs"}
