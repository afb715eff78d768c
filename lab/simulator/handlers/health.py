"""The health probes, which need no login."""

from lab.simulator.answers import JSON, Answer, ok, timestamp
from lab.simulator.api import Call
from lab.simulator.clock import now


def live(call: Call) -> Answer:
    started_at = call.server.started_at
    uptime = int((now() - started_at).total_seconds())
    return _healthy(
        {
            "control_plane_db": "reachable",
            "service": "dittofs",
            "started_at": timestamp(started_at.replace(microsecond=0)),
            "uptime": f"{uptime}s",
            "uptime_sec": uptime,
        }
    )


def ready(call: Call) -> Answer:
    running = [adapter.type for adapter in call.server.adapters.listed() if adapter.running]
    return _healthy(
        {
            "adapters": {"running": len(running), "types": running},
            "grace_period": {
                "active": False,
                "expected_clients": 0,
                "reclaimed_clients": 0,
                "remaining_seconds": 0,
            },
            "metadata_stores": 0,
            "shares": 0,
        }
    )


def _healthy(data: JSON) -> Answer:
    return ok({"status": "healthy", "timestamp": timestamp(now()), "data": data})
