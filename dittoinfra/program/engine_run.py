"""One run on the engine: what a survey decides, what an update needs beside it, and the declaration."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pulumi

from dittoinfra.decide.explanation import decision_text, held_text
from dittoinfra.decide.observations import Answers
from dittoinfra.model import Note
from dittoinfra.program.declare import declare, declare_held
from dittoinfra.program.engine_inputs import read_configuration, read_memory
from dittoinfra.program.existing_objects import adopt_existing
from dittoinfra.program.observe import RunContext
from dittoinfra.program.portmapper_switch import switch_on_portmappers
from dittoinfra.program.run_errors import ClusterChanged, RunRefused, RunStopped
from dittoinfra.program.survey import RunRecord, read_settings, survey
from dittoinfra.program.upload_drains import drain_uploads
from dittoinfra.settings import StackSettings
from dittoinfra.settings.setting_words import STACK_WORDS, SettingWords
from dittoinfra.state import Memory
from dittoinfra.state.held_stack import HeldStack


def run_project(root: Path) -> None:
    """The program of a project; where it stops, the engine shows the reasons and no traceback."""
    try:
        run(root)
    except RunStopped as stopped:
        raise pulumi.RunError(str(stopped)) from None


def run(
    root: Path,
    environ: Mapping[str, str] = os.environ,
    given: Answers | None = None,
    *,
    context: RunContext | None = None,
    stops_at_changes: bool = False,
) -> RunRecord | None:
    """The whole program, or `RunStopped` before anything is declared.

    `given` are answers of an earlier run; without them the servers are asked. With `stops_at_changes` a run
    ends in `ClusterChanged` where objects were deleted or edited in the cluster. None for a run that was
    refused before its decision, and that holds everything as it is.
    """
    configuration = read_configuration(root)
    settings = read_settings(configuration)
    memory = read_memory(configuration)
    if given is not None and given.held and memory.held is not None:
        # Its preview has shown that nothing changes, even if nothing would refuse the run by now.
        _hold(memory.held, given.held)
        return None
    try:
        record = survey(configuration, settings, memory, context or RunContext(environ), given)
        # Printed even where the run then stops: a note may be the reason.
        _log(record.notes)
        told = prepare(record, environ, stops_at_changes=stops_at_changes)
    except RunRefused as refused:
        why = reason_to_hold(refused, settings, memory)
        if memory.held is None or why is None:
            raise
        _hold(memory.held, why)
        if refused.record is None:
            return None
        return replace(refused.record, answers=replace(refused.record.answers, held=why))
    _log(told)
    pulumi.log.debug(decision_text(record.decision.adapters, record.decision.known))
    declare(record)
    return record


def reason_to_hold(
    refused: RunRefused, settings: StackSettings, memory: Memory, words: SettingWords = STACK_WORDS
) -> str | None:
    """What is said of a refused run that holds everything as it is; None for one that fails."""
    if settings.on_refusal == "fail" or memory.held is None:
        return None
    return held_text([this.worded(words) for this in refused.refusals], memory.adapters)


def _hold(held: HeldStack, why: str) -> None:
    pulumi.log.warn(why)
    declare_held(held, why)


def prepare(
    record: RunRecord, environ: Mapping[str, str], *, stops_at_changes: bool = False
) -> tuple[Note, ...]:
    """Everything between a decision and its declaration, or `RunStopped`; the notes of both.

    An update finishes uploads, takes existing objects over, and switches portmappers on.
    """
    decision = record.decision
    if decision.refusals:
        raise RunRefused(decision.refusals).of(record)
    if stops_at_changes and (changed := (*decision.guarded.gone, *decision.guarded.edited)):
        raise ClusterChanged(changed).of(record)
    # Before anything is changed: uploads that cannot be finished end the run.
    drained = drain_uploads(record, environ)
    adopted = adopt_existing(record, environ)
    switched = switch_on_portmappers(record, environ)
    return (*decision.notes, *adopted, *drained, *switched)


def _log(notes: Sequence[Note]) -> None:
    for note in notes:
        log = pulumi.log.warn if note.warning else pulumi.log.info
        log(f"{note.server}: {note.text}")
