"""What every document about several stacks says of those that it cannot tell of."""

from typing import Annotated

from pydantic import Field

from dittoinfra.json_document import Document


class Failure(Document):
    """A stack about which nothing could be told."""

    stack: str
    errors: tuple[str, ...]
    exit_code: Annotated[int, Field(ge=1)]
    """The pulumi CLI's."""
