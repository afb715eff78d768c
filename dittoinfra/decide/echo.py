"""Answers that tell a stack nothing new: what still changes after them is not the servers' doing. Pure."""

from dittoinfra.model import Answered, Outcome, RememberedAdapter, ReportedAdapter, ServerMemory
from dittoinfra.settings import ServerSettings


def echo(server: ServerSettings, memory: ServerMemory, heard: Outcome) -> tuple[Answered, ...]:
    """Polls of one run after which exactly what is remembered is declared, absence counts included.

    The first one serves everything and so clears the counts; then each adapter is missed as often as its
    count says. Where the state has lost an adapter's port, the server that was really `heard` may know it.
    """
    ports = {a.type: a.port for a in heard.adapters} if isinstance(heard, Answered) else {}
    served = {
        adapter.type: ReportedAdapter(adapter.type, port, enabled=True, running=True)
        for adapter in memory.values()
        if (port := adapter.port or ports.get(adapter.type)) is not None
    }
    misses = {adapter.type: _misses(server, adapter) for adapter in memory.values()}
    polls = max(misses.values(), default=0)
    return tuple(
        Answered(tuple(this for name, this in served.items() if poll <= polls - misses[name]))
        for poll in range(polls + 1)
    )


def _misses(server: ServerSettings, adapter: RememberedAdapter) -> int:
    # Counted under a higher limit, it may be above today's; an echo must not be what removes an adapter.
    limit = server.absence_polls if server.removal == "never" else server.absence_polls - 1
    return min(adapter.absences, limit)
