"""The resolved inputs of a component."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from dittoinfra.nested_values import mapped
from dittoinfra.sdk_internals import children, resolved_depends_on, wait_until_registered


@dataclass(frozen=True, slots=True)
class Resolved:
    """Inputs by name, as far as they are known."""

    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """With `pulumi.UNKNOWN` in them where a preview does not know them yet."""
    secret: frozenset[str] = frozenset()
    """Inputs that are secrets, or have a secret in them."""
    created_first: Mapping[str, frozenset[pulumi.Resource]] = field(default_factory=dict)
    """Resources of the program that an input comes from, by input."""

    @property
    def unknown(self) -> frozenset[str]:
        """Inputs that are not known yet, or not as a whole."""
        return frozenset(name for name, value in self.values.items() if pulumi.contains_unknowns(value))

    @property
    def resources(self) -> frozenset[pulumi.Resource]:
        """Resources of the program that any input comes from."""
        return frozenset[pulumi.Resource]().union(*self.created_first.values())


async def resolve(inputs: Mapping[str, Any]) -> Resolved:
    """Wait for every input; one that is None counts as not given."""
    # An unknown value must not become None, which would mean that nothing was given.
    outputs = {
        name: pulumi.Output.from_input(value).apply(_same, run_with_unknowns=True)
        for name, value in inputs.items()
        if value is not None
    }
    values = await asyncio.gather(*(output.future(with_unknowns=True) for output in outputs.values()))
    secret = await asyncio.gather(*(output.is_secret() for output in outputs.values()))
    resources = await asyncio.gather(*(output.resources() for output in outputs.values()))
    given = {name: value for name, value in zip(outputs, values, strict=True) if value is not None}
    return Resolved(
        values=whole_numbers(given),
        secret=frozenset(name for name, hidden in zip(outputs, secret, strict=True) if hidden),
        created_first={
            name: frozenset(found) for name, found in zip(outputs, resources, strict=True) if found
        },
    )


async def registered(opts: pulumi.ResourceOptions, resource: pulumi.Resource) -> frozenset[pulumi.Resource]:
    """Wait until all that a resource depends on has been created; in a preview, registered.

    Of a component that is everything in it. What is in one of ours is known when its server has answered.
    """
    found = await resolved_depends_on(opts)
    inside = [*found]
    for this in inside:
        declared = getattr(this, "_declared", None)
        if isinstance(declared, asyncio.Future) and this is not resource:
            await declared
        inside += children(this)
    await wait_until_registered(found)
    return frozenset(found)


def whole_numbers(value: Any) -> Any:  # noqa: ANN401 - inputs are values of any type
    """A value with integers for whole numbers: other languages pass all numbers as floating point."""
    return mapped(value, lambda each: int(each) if isinstance(each, float) and each.is_integer() else each)


def _same(value: object) -> object:
    return value
