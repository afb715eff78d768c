"""A plan of a run that leaves an adapter out is not outdated while the same adapter is left out today."""

from dataclasses import replace

from dittoinfra.decide.decision import decide
from dittoinfra.decide.observations import Answers, Observations
from dittoinfra.model import RememberedServer
from dittoinfra.object_model import LiveObject, LiveObjects, ObjectPlace
from dittoinfra.program.answer_fingerprints import take_fingerprints
from dittoinfra.program.plan import StackPlan, decided
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import StackSettings
from dittoinfra.stacks.plans import outdated
from dittoinfra.state import Memory
from tests.pure.decide.make import answer, remembering, serving
from tests.unit.status.make import configuration

STACK = StackSettings.model_validate({"namespace": "files", "servers": [{"name": "media"}]})
MEMORY = Memory(adapters={"media": remembering(("nfs", 12049))}, servers={"media": RememberedServer("files")})
S3 = ObjectPlace("v1", "Service", "files", "media-adapter-s3")
FOREIGN = LiveObject({"managedFields": [{"manager": "helm"}]})


def _record(seen: LiveObjects) -> RunRecord:
    polls = {"media": (answer(serving("nfs", 12049), serving("s3", 9000)),)}
    answers = Answers(take_fingerprints(configuration(), MEMORY), polls)
    decision = decide(STACK, MEMORY, Observations(answers, objects=seen))
    return RunRecord(configuration(), STACK, MEMORY, answers, decision)


def test_a_plan_holds_while_the_object_is_there_and_is_outdated_when_it_is_gone() -> None:
    beside = _record({S3: FOREIGN})
    given_for = replace(beside.answers.given_for, resources={})
    answers = replace(beside.answers, given_for=given_for)
    plan = StackPlan(answers, decided(beside.decision.adapters), ())

    assert outdated(plan, beside) == ()
    assert outdated(plan, _record({S3: None})) == ("media would be decided otherwise",)
