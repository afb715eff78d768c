"""The state of a resource: the object as last read, and its field manager."""

import secrets
from dataclasses import dataclass

from lab.standin.annotations import PATCH_FIELD_MANAGER, annotation
from lab.standin.properties import Properties, plain
from lab.standin.secrecy import marked
from lab.standin.target import FIELD_MANAGER

INPUTS = "__inputs"
INITIAL_API_VERSION = "__initialApiVersion"
MANAGER = "__fieldManager"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One state, without secret marks."""

    inputs: Properties
    live: Properties
    initial_api_version: str = ""
    manager: str = ""

    @classmethod
    def parse(cls, state: Properties) -> "Checkpoint":
        """Read a state as the engine keeps it; of a resource without one, an empty checkpoint."""
        own = (INPUTS, INITIAL_API_VERSION, MANAGER)
        known = plain(state)
        return cls(
            inputs=known.get(INPUTS) or {},
            live={key: value for key, value in known.items() if key not in own},
            initial_api_version=known.get(INITIAL_API_VERSION, ""),
            manager=known.get(MANAGER, ""),
        )

    def state(self, declared: Properties) -> Properties:
        """The state to keep, with the secret marks of what was declared."""
        return {
            **marked(self.live, declared),
            INPUTS: marked(self.inputs, declared),
            INITIAL_API_VERSION: self.initial_api_version or str(self.inputs.get("apiVersion", "")),
            MANAGER: self.manager,
        }

    def manager_for(self, declared: Properties) -> str:
        """Who applies: the annotation's manager, the one of the state, or a new one for life."""
        return (
            annotation(declared, PATCH_FIELD_MANAGER)
            or self.manager
            or f"{FIELD_MANAGER}-{secrets.token_hex(4)}"
        )
