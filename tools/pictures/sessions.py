"""The sessions in the pictures: commands, and what users and servers do meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.pictures.stage import STACK, Stage
from tools.pictures.terminal import Moment, Step, answer


@dataclass(frozen=True, slots=True)
class Picture:
    """The last screen of some commands, or, where it moves, all of them."""

    name: str
    title: str
    steps: Sequence[Step]
    moves: bool = False
    shown: bool = True
    """Whether it is drawn, or only run for what comes after it."""

    @property
    def rows(self) -> int:
        """How high the terminal is: what moves may scroll, and has to fit on a page."""
        return 26 if self.moves else 40


def _moves(stage: Stage) -> None:
    stage.balance()
    stage.dittofs.set_adapter("nfs", port=13049)


def _loses_its_database(stage: Stage) -> None:
    stage.dittofs.start()
    stage.dittofs.remove_adapter("nfs")
    stage.dittofs.remove_adapter("smb")
    stage.configure(absencePolls=1)


def _is_there_again(stage: Stage) -> None:
    stage.dittofs.set_adapter("nfs", port=13049)
    stage.dittofs.set_adapter("smb", port=12445)
    stage.configure()


UP = f"dittoinfra up {STACK}"

FIRST_HOUR = Picture(
    "first-hour",
    "from an empty folder to a followed change",
    (
        Step(
            f"dittoinfra init {STACK}",
            (
                answer("context ["),
                answer("one that exists or a new one:", STACK),
                answer("server [media]:"),
                answer("another server? (yes, no) [no]:"),
                answer("Service type [LoadBalancer]:"),
                answer("DittoFS user of this stack"),
                answer("login [make]:"),
                answer("administrator of media [admin]:"),
                Moment("password of admin:", lambda stage: f"{stage.dittofs.admin_password}\n", hidden=True),
                answer("write it? (yes, no) [yes]:"),
            ),
        ),
        Step(UP, (answer(f"Update {STACK}?", "yes"),)),
        Step("# now an administrator of the server moves nfs to port 13049", before=_moves),
        Step(f"dittoinfra preview {STACK}"),
        Step(f"{UP} --yes"),
        Step(f"dittoinfra status {STACK}"),
    ),
    moves=True,
)

WATCH = Picture(
    "watch",
    "an adapter is followed",
    (
        Step(
            f"dittoinfra watch {STACK}",
            (
                Moment("nothing to change", lambda stage: stage.dittofs.set_adapter("nfs", port=12049)),
                Moment("moved from port 13049 to 12049"),
                Moment("1 updated", lambda stage: stage.dittofs.stop()),
                Moment("unreachable", lambda stage: stage.dittofs.start()),
                Moment("answers again", lambda stage: stage.dittofs.disable("smb")),
                Moment("its Service is removed"),
                Moment("1 deleted", lambda _: "\x03"),
            ),
        ),
    ),
    moves=True,
)

SESSIONS = (
    (FIRST_HOUR,),
    (
        Picture(
            "first-up",
            "a first update",
            (Step(UP, (answer(f"Update {STACK}?", "yes"),), before=Stage.configure),),
        ),
        Picture("status", "where clients mount", (Step(f"dittoinfra status {STACK}", before=Stage.balance),)),
        Picture("moved-port", "an adapter has moved", (Step(f"dittoinfra preview {STACK}", before=_moves),)),
        Picture("moved", "it is followed", (Step(f"{UP} --yes"),), shown=False),
        Picture(
            "outage", "the server is down", (Step(f"{UP} --yes", before=lambda stage: stage.dittofs.stop()),)
        ),
        Picture("refusal", "every adapter is missing", (Step(f"{UP} --yes", before=_loses_its_database),)),
        Picture("history", "what happened, and why", (Step(f"dittoinfra history {STACK}"),)),
        Picture("back", "every adapter is back", (Step(f"{UP} --yes", before=_is_there_again),), shown=False),
        WATCH,
    ),
)
"""Each on a stage of its own; what one picture leaves, the next one finds."""
