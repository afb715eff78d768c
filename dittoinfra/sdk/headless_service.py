"""A headless Service for other programs: DNS names for Pods, and no address of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi
from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from dittoinfra.components import declare_object
from dittoinfra.decide.server_objects import PROMPT_DELETION
from dittoinfra.naming import recommended_labels
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.sdk.refusing_component import RefusingComponent
from dittoinfra.sdk.resolved_inputs import Resolved, resolve, whole_numbers
from dittoinfra.sdk.server_inputs import HeadlessServiceArgs
from dittoinfra.settings import ConfigurationError, Problem, SettingPath
from dittoinfra.settings.headless_settings import HeadlessPort, HeadlessSettings
from dittoinfra.settings.problems import problems_of
from dittoinfra.urns import HEADLESS_TYPE

_IN_THE_CLEAR = (
    "has a secret in it, which would be in the clear in the cluster and in previews; what is no secret, pass "
    "through Output.unsecret"
)


class HeadlessService(RefusingComponent):
    """A Kubernetes Service that is headless: its name in DNS has the address of every Pod behind it."""

    service_name: pulumi.Output[str]
    """Name of the Service."""
    namespace: pulumi.Output[str]
    """Its Kubernetes namespace."""
    host: pulumi.Output[str]
    """Its name in the cluster's DNS."""
    endpoints: pulumi.Output[dict[str, str]]
    """Host and port by the name of each port."""

    def __init__(
        self, name: str, args: HeadlessServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        self._begin(HEADLESS_TYPE, name)
        super().__init__(HEADLESS_TYPE, name, None, opts)
        outputs = self._outputs(self._declare(name, dict(args)))
        self.service_name = outputs.apply(lambda known: known["serviceName"])
        self.namespace = outputs.apply(lambda known: known["namespace"])
        self.host = outputs.apply(lambda known: known["host"])
        self.endpoints = outputs.apply(lambda known: known["endpoints"])

    async def _declare(self, name: str, args: Mapping[str, Any]) -> Any:  # noqa: ANN401 - outputs, or unknown
        inputs = await resolve(args)
        if problems := [*_problems({"name": name, **inputs.values}), *_in_the_clear(inputs)]:
            return await self._refuse(ConfigurationError(problems))
        # The given inputs, and not what they were resolved to: the SDK knows what each of them depends on.
        given = {to_snake(key): value for key, value in args.items() if key in inputs.values}
        wanted = _Wanted(name, given)
        held = HeldObject("v1", "Service", name)
        service = declare_object(
            DeclaredObject("", held, wanted.manifest(), removal_timeout=PROMPT_DELETION), self
        )
        made = service.metadata.apply(lambda metadata: (metadata["name"], metadata["namespace"]))
        host = made.apply(lambda names: f"{names[0]}.{names[1]}.svc")
        outputs = {
            "serviceName": made.apply(lambda names: names[0]),
            "namespace": made.apply(lambda names: names[1]),
            "host": host,
            "endpoints": pulumi.Output.all(host, wanted.ports).apply(_endpoints),
        }
        self.register_outputs(outputs)
        return outputs


class _Wanted:
    """The Service that inputs ask for; what is unknown in a preview stays unknown, field by field."""

    def __init__(self, name: str, given: Mapping[str, pulumi.Input[Any]]) -> None:
        self._given = given
        self._name = given.get("name", name)
        instance = given.get("instance", self._name)
        managed_by = given.get("managed_by", HeadlessSettings.model_fields["managed_by"].default)
        self._identity = pulumi.Output.all(given["app"], instance, managed_by).apply(
            lambda labels: recommended_labels(*labels)
        )
        self.ports: pulumi.Output[Any] = pulumi.Output.from_input(given["ports"]).apply(whole_numbers)

    def manifest(self) -> dict[str, Any]:
        return {"apiVersion": "v1", "kind": "Service", "metadata": self._metadata(), "spec": self._spec()}

    def _metadata(self) -> dict[str, pulumi.Input[Any]]:
        labels = pulumi.Output.all(self._given.get("labels", {}), self._identity)
        return {
            "name": self._name,
            "namespace": self._given.get("namespace", HeadlessSettings.model_fields["namespace"].default),
            "labels": labels.apply(lambda both: {**both[0], **both[1]}),
            "annotations": pulumi.Output.from_input(self._given.get("annotations")).apply(_unless_empty),
        }

    def _spec(self) -> dict[str, pulumi.Input[Any]]:
        early = pulumi.Output.from_input(self._given.get("publish_not_ready_addresses"))
        return {
            "clusterIP": "None",
            "publishNotReadyAddresses": early.apply(_unless_empty),
            "selector": self._given.get("selector", self._identity),
            "ports": self.ports.apply(lambda ports: [_port(port) for port in ports]),
        }


def _unless_empty(value: object) -> object:
    """Nothing is declared for an empty block: to Kubernetes it is not the same as none."""
    return value or None


def _port(port: Mapping[str, Any]) -> dict[str, Any]:
    name = port["name"]
    return {
        "name": name,
        "port": port["port"],
        "targetPort": port.get("target") or name,
        "protocol": port.get("protocol") or HeadlessPort.model_fields["protocol"].default,
    }


def _endpoints(made: "list[Any]") -> dict[str, str]:
    host, ports = made
    return {port["name"]: f"{host}:{port['port']}" for port in ports}


def _problems(values: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What is wrong with what is known of the inputs."""
    try:
        HeadlessSettings.model_validate(values, by_alias=True, by_name=True)
    except ValidationError as error:
        return problems_of(error, HeadlessSettings, hidden=(), is_known=_is_known)
    return ()


def _is_known(value: object) -> bool:
    return not pulumi.contains_unknowns(value)


def _in_the_clear(inputs: Resolved) -> Iterator[Problem]:
    for name in sorted(inputs.secret):
        yield Problem(SettingPath((name,)), _IN_THE_CLEAR)
