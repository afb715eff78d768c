"""A component whose inputs are checked when they are known, and that declares nothing where one is wrong."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pulumi

from dittoinfra.decide.refusals import Refusal
from dittoinfra.program.run_errors import RunStopped
from dittoinfra.sdk.input_settings import InputWords
from dittoinfra.sdk.program_components import (
    OTHER_LANGUAGE,
    OTHER_LANGUAGES,
    ProgramComponents,
    program_components,
    refusal_text,
)
from dittoinfra.settings import ConfigurationError, Problem


class RefusingComponent(pulumi.ComponentResource):
    """Logs what is wrong with its inputs, and lets the program fail after every component has done so."""

    _program: ProgramComponents
    _label: str
    _elsewhere: bool
    """Whether its program is written in another language. Not `_remote`, which the SDK uses itself."""
    _words: InputWords
    _declared: "asyncio.Future[Any]"
    """Done when everything in it has been declared."""

    def _begin(self, kind: str, name: str) -> None:
        """Find the program that declares this component, before it is registered."""
        self._program = program_components()
        self._label = f"{kind.rpartition(':')[2]} {name}"
        self._elsewhere = OTHER_LANGUAGE.get()
        self._words = InputWords(self._elsewhere)

    def _outputs(self, declaring: "Coroutine[Any, Any, Any]") -> "pulumi.Output[dict[str, Any]]":
        """The component's outputs: the result of its declaration."""
        self._declared = asyncio.ensure_future(declaring)
        self._program.add(self._declared)
        if self._elsewhere:
            OTHER_LANGUAGES.add(self._declared)
        return pulumi.Output.from_input(self._declared)

    async def _refuse(self, stopped: RunStopped | ConfigurationError) -> Any:  # noqa: ANN401
        """Log why the component declares nothing, and let the program fail."""
        reasons = stopped.problems if isinstance(stopped, ConfigurationError) else stopped.reasons
        # The SDK sends a message about a resource in a task of its own, once the resource is registered.
        await self.urn.future(with_unknowns=True)
        for reason in reasons:
            pulumi.log.error(self._in_words(reason), self)
        await asyncio.sleep(0)
        if self._elsewhere and pulumi.runtime.is_dry_run():
            await OTHER_LANGUAGES.others_checked()
        if self._elsewhere or not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(refusal_text(self._label, len(reasons)))
        # A preview goes on, so that every component can say what is wrong with it.
        self._program.refuse(self._label, len(reasons))
        return pulumi.UNKNOWN

    def _in_words(self, reason: object) -> str:
        match reason:
            case Problem():
                return str(self._words.problem(reason))
            case Refusal():
                return reason.worded(self._words)
            case _:
                return str(reason)
