"""Finding out how a stack stands, without changing anything."""

from dittoinfra.automation import CliFailedError, ProjectStack
from dittoinfra.cluster import ClusterError
from dittoinfra.exitcodes import ExitCode
from dittoinfra.insight.facts import Facts, Live, NotTold
from dittoinfra.insight.held import HeldState, held_state
from dittoinfra.insight.nothing import told_nothing
from dittoinfra.insight.views import Failure
from dittoinfra.program import RunRecord
from dittoinfra.program.live import live_services


def look(stack: ProjectStack) -> Facts | Failure:
    """Ask the backend, the servers and the cluster; what the next run would do is what a preview says."""
    stack.create = False
    try:
        held = held_state(stack.export())
        history = stack.history()
    except CliFailedError as error:
        return Failure(stack=stack.name, errors=(str(error),), exit_code=error.exit_code)
    live: Live | NotTold = NotTold("the run came to its end before the cluster was asked")

    def hear(_: RunRecord) -> None:
        nonlocal live
        live = _live(stack, held)

    stack.on_decided = hear
    foretold = stack.preview()
    if foretold.decided is None or foretold.exit_code == ExitCode.CANCELLED:
        errors, code = told_nothing(foretold)
        return Failure(stack=stack.name, errors=errors, exit_code=code)
    return Facts(stack.name, foretold.decided, foretold, held, live, history)


def _live(stack: ProjectStack, held: HeldState) -> Live | NotTold:
    try:
        return Live(live_services(held.places, stack.environment))
    except ClusterError as error:
        return NotTold(str(error))
