"""What is printed for programs: every document and every part of one, in one shape."""

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Document(BaseModel):
    """A document or a part of one: camelCase keys, as Pulumi's are, and each explained in its schema."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        # The texts under its fields are in its schema by `tools.schemas`: pydantic would parse the source of
        # every document whenever it is imported.
    )


class VersionedDocument(Document):
    """A whole document."""

    version: Literal[2] = 2
    """Goes up when a reader has to change."""
