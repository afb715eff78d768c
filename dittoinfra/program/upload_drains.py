"""Lets servers finish their uploads before an update restarts them."""

from collections.abc import Mapping

import pulumi

from dittoinfra.decide.refusals import UploadsNotDrained
from dittoinfra.dittofs.uploads import drain
from dittoinfra.model import Note
from dittoinfra.program.cluster_tunnels import resolve_reachable
from dittoinfra.program.run_errors import RunRefused
from dittoinfra.program.survey import RunRecord


def drain_uploads(record: RunRecord, environ: Mapping[str, str]) -> tuple[Note, ...]:
    """Wait for the servers that this update restarts, or raise `RunRefused`; a preview does not wait."""
    decision, settings = record.decision, record.settings
    servers = [server for server in decision.declared if server.name in decision.restarts]
    if not settings.drain_uploads or not servers:
        return ()
    if pulumi.runtime.is_dry_run():
        return tuple(Note(server.name, "`up` drains its uploads before it restarts it") for server in servers)
    asked, failed = resolve_reachable(servers, record.configuration, settings, environ, record.cluster)
    done = drain(asked, settings.drain_timeout.total_seconds())
    failed |= {name: outcome for name, outcome in done.items() if outcome is not None}
    if failed:
        refused = [UploadsNotDrained(name, trouble.why) for name, trouble in failed.items()]
        raise RunRefused(refused).of(record)
    return tuple(Note(name, "its uploads are drained") for name in done)
