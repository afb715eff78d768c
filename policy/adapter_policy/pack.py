"""The policy pack: what the engine asks, answered by the rules in `adapter_policy`."""

import contextlib
import os
from collections.abc import Mapping
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Secret,
    StackValidationArgs,
    StackValidationPolicy,
)

from adapter_policy.exposure_rules import exposure_message, open_to_the_world
from adapter_policy.held_state import HeldState, UnreadableStateError, export_stack
from adapter_policy.policy_values import plain
from adapter_policy.removal_rules import LOAD_BALANCER, Declared, unapproved
from adapter_policy.secret_rules import SECRET, SECRET_FIELDS, readable_secrets
from adapter_policy.service_object import AdapterService, adapter_service

_STATE = HeldState(export_stack)
_NAMES = {"type": "array", "items": {"type": "string"}, "default": []}
_EVERY_STACK = "organization"
"""The organization of all stacks in a backend that has none: files, buckets, databases."""


def _check_removals(args: StackValidationArgs, report: ReportViolation) -> None:
    if not args.resources:
        return
    declared = [
        Declared(this.urn, this.resource_type, plain(this.props), list(this.opts.aliases))
        for this in args.resources
    ]
    try:
        held = _held_services(declared[0].urn)
    except UnreadableStateError as error:
        report(
            f"cannot tell which adapters this run removes, because the stack's state is unreadable: {error}"
        )
        return
    for removal in unapproved(held, declared, set(args.get_config().get("approve") or ())):
        report(str(removal))


def _held_services(urn: str) -> tuple[AdapterService, ...]:
    return _STATE.services(urn, os.environ.get("PULUMI_ORGANIZATION") or _EVERY_STACK)


def _read_state(urn: str) -> None:
    """Read the state with the first resource of a run: later, an update has changed it."""
    with contextlib.suppress(UnreadableStateError):  # which the policy on removals reports
        _held_services(urn)


def _check_exposure(args: ResourceValidationArgs, report: ReportViolation) -> None:
    _read_state(args.urn)
    properties = plain(args.props)
    service = adapter_service(args.urn, args.resource_type, properties)
    config = args.get_config()
    if service is None or {service.short_name, service.long_name} & set(config.get("open") or ()):
        return
    why = open_to_the_world(service, properties, node_ports_allowed=bool(config.get("allowNodePorts")))
    if why:
        report(exposure_message(service, why))


def _check_protection(args: ResourceValidationArgs, report: ReportViolation) -> None:
    service = adapter_service(args.urn, args.resource_type, plain(args.props))
    if service is not None and service.type == LOAD_BALANCER and not args.opts.protect:
        report(
            f"{service.short_name}: its LoadBalancer Service {service.location} is not protected; declare it "
            "with the resource option `protect`, and the engine itself refuses to delete it"
        )


def _check_secrets(args: ResourceValidationArgs, report: ReportViolation) -> None:
    _read_state(args.urn)
    for line in readable_secrets(args.resource_type, plain(args.props)):
        report(line)


def _encrypt_secrets(args: ResourceValidationArgs) -> dict[str, Any] | None:
    """Mark what a Kubernetes Secret holds as secret, so that the state keeps it encrypted."""
    if args.resource_type != SECRET:
        return None
    # A property that is read through the SDK's proxy loses its mark; this is what the proxy wraps.
    raw: dict[str, Any] = args.props["__target"]
    clear = {field: Secret(raw[field]) for field in SECRET_FIELDS if _is_clear(raw.get(field))}
    return {**raw, **clear} if clear else None


def _is_clear(values: object) -> bool:
    """Whether a field of a Secret has a value that is not marked as secret, alone or with all others."""
    if not isinstance(values, Mapping):
        return False
    # A nested block is behind a proxy of its own, which takes the marks off what is read through it.
    raw: Mapping[str, Any] = values if isinstance(values, dict) else values["__target"]
    return any(not isinstance(value, Secret) for value in raw.values())


def serve() -> None:
    """Answer the engine until it ends this process."""
    PolicyPack(
        name="dittofs-adapters",
        enforcement_level=EnforcementLevel.MANDATORY,
        policies=[
            StackValidationPolicy(
                name="adapter-removals",
                description="An adapter's LoadBalancer Service is neither removed nor replaced unapproved.",
                validate=_check_removals,
                config_schema=PolicyConfigSchema(properties={"approve": _NAMES}),
            ),
            ResourceValidationPolicy(
                name="adapter-exposure",
                description="An adapter is open to the world, or on every node, only where that is said.",
                enforcement_level=EnforcementLevel.ADVISORY,
                validate=_check_exposure,
                config_schema=PolicyConfigSchema(
                    properties={"open": _NAMES, "allowNodePorts": {"type": "boolean", "default": False}}
                ),
            ),
            ResourceValidationPolicy(
                name="adapter-protection",
                description="An adapter's LoadBalancer Service is protected by the engine.",
                enforcement_level=EnforcementLevel.DISABLED,
                validate=_check_protection,
            ),
            ResourceValidationPolicy(
                name="readable-secrets",
                description="Credentials of DittoFS servers are in Secrets, not in Pods or ConfigMaps.",
                validate=_check_secrets,
            ),
            ResourceValidationPolicy(
                name="encrypted-secrets",
                description="What a Kubernetes Secret holds is encrypted in the stack's state.",
                enforcement_level=EnforcementLevel.REMEDIATE,
                remediate=_encrypt_secrets,
            ),
        ],
    )
