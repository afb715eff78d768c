"""The ten scenes of the demo."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.simulator import SimulatedDittoFS

HTML = "<html><body>502 but with a smile</body></html>"


@dataclass(frozen=True, slots=True)
class Scene:
    """A change of the server, followed by a preview and an update."""

    name: str
    title: str
    meaning: str
    happens: Callable[[SimulatedDittoFS], None]


def _starts(dittofs: SimulatedDittoFS) -> None:
    dittofs.set_adapter("nfs", port=12049)
    dittofs.set_adapter("smb", port=12445)
    dittofs.start()


def _answers_html(dittofs: SimulatedDittoFS) -> None:
    dittofs.answer_with(200, HTML, "text/html", path="/api/v1/adapters/ports")
    dittofs.start()


def _forgets_smb(dittofs: SimulatedDittoFS) -> None:
    dittofs.normal()
    dittofs.remove_adapter("smb")


SCENES = (
    Scene(
        "nothing-yet",
        "The server is not there yet",
        "Infrastructure is declared; adapters are not, because none is known yet.",
        lambda dittofs: dittofs.stop(),
    ),
    Scene(
        "two-adapters-found",
        "It answers: nfs and smb are running",
        "Each gets its Service, and the StatefulSet gets both ports.",
        _starts,
    ),
    Scene(
        "port-changed",
        "nfs moves to port 12050",
        "Its Service is updated in place: same object, same address.",
        lambda dittofs: dittofs.set_adapter("nfs", port=12050),
    ),
    Scene(
        "server-down",
        "The server goes down",
        "No answer removes nothing: everything is declared as remembered.",
        lambda dittofs: dittofs.stop(),
    ),
    Scene(
        "nonsense",
        "It is back, but answers HTML with status 200",
        "An answer that cannot be believed removes nothing either.",
        _answers_html,
    ),
    Scene(
        "missing-once",
        "smb is missing from the answer",
        "One answer is not enough. The counter on its Service is all that changes.",
        _forgets_smb,
    ),
    Scene("missing-twice", "smb is still missing", "Counted again, and kept.", lambda _: None),
    Scene(
        "missing-three-times",
        "smb is missing for the third time in a row",
        "Now its Service goes, and the preview says so before it happens.",
        lambda _: None,
    ),
    Scene(
        "disabled",
        "An administrator disables nfs",
        "This is on purpose, so it is removed at once.",
        lambda dittofs: dittofs.disable("nfs"),
    ),
    Scene("nothing-new", "Nothing happens", "A run with nothing new changes nothing.", lambda _: None),
)
