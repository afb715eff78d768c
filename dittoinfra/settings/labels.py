"""Selection by labels, in Kubernetes' words and with Kubernetes' meaning."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import LabelKey, LabelValue, Settings


class LabelRequirement(Settings):
    """One condition on an object's labels."""

    key: LabelKey
    """The label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How it is compared."""
    values: list[LabelValue] = Field(default_factory=list)
    """What it is compared with, for In and NotIn."""

    @model_validator(mode="after")
    def _values_where_compared(self) -> "LabelRequirement":
        if bool(self.values) != (self.operator in ("In", "NotIn")):
            raise ValueError("In and NotIn need values, Exists and DoesNotExist have none")
        return self

    def met_by(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels meet it; a label that is not there is in no list, so NotIn is met."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case _:
                return value is None

    def query(self) -> str:
        """The condition as a part of the API's `labelSelector`."""
        match self.operator:
            case "In" | "NotIn":
                return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"
            case "Exists":
                return self.key
            case _:
                return f"!{self.key}"


class LabelSelector(Settings):
    """Objects by their labels; an empty selector is all of them."""

    match_labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels that an object must have."""
    match_expressions: list[LabelRequirement] = Field(default_factory=list)
    """Conditions that it must meet as well."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected, exactly as Kubernetes would."""
        return self.match_labels.items() <= labels.items() and all(
            requirement.met_by(labels) for requirement in self.match_expressions
        )

    def query(self) -> str:
        """The same selector as the `labelSelector` of a request to the API; an empty one is an empty text."""
        labels = (f"{key}={value}" for key, value in self.match_labels.items())
        return ",".join([*labels, *(requirement.query() for requirement in self.match_expressions)])
