"""The cluster of a stack: whether it answers, and what it allows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from dittoinfra.automation.reach import Reach
from dittoinfra.cluster import Cluster, ClusterError, connect
from dittoinfra.cluster.answers import object_of
from dittoinfra.cluster.listing import list_servers
from dittoinfra.cluster.reviews import allows
from dittoinfra.cluster.rules import Rule, role_yaml
from dittoinfra.doctor.line import Line, failed, ok, split, warning
from dittoinfra.doctor.permissions import Need, needs
from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.discovery import LISTING_ROLE
from dittoinfra.settings import StackSettings

CLUSTER = "cluster"
PERMISSIONS = "permissions"
_AT_ONCE = 8
_CHECK_KUBECONFIG = "check the kubeconfig and its context"
_BIND = "have somebody apply a Role with these rules and bind it to the user of this kubeconfig"


def check_cluster(stack: str, reach: Reach) -> list[Line]:
    """Everything about the cluster that the stack's provider uses."""
    configuration = reach.configuration
    if configuration.manifests is not None:
        text = f"none is needed: manifests are written to {configuration.manifests}"
        return [ok(CLUSTER, text, stack)]
    try:
        with connect(configuration.kubeconfig(reach.environment), configuration.context) as cluster:
            lines = [ok(CLUSTER, _version(cluster), stack)]
            # Whatever is wrong beyond here is about what may be done, not about the way there.
            lines += _permissions(stack, cluster, needs(reach.settings), reach.needed())
            return lines + list(_listings(stack, cluster, reach.settings))
    except ClusterError as error:
        cause, step = split(str(error), _CHECK_KUBECONFIG)
        return [failed(CLUSTER, cause, step, stack)]


def _version(cluster: Cluster) -> str:
    response = cluster.request("GET", "/version")
    said = object_of(response).get("gitVersion", "") if not response.is_error else ""
    return f"{cluster.server} answers{f' ({said})' if said else ''}"


def _permissions(
    stack: str, cluster: Cluster, wanted: Sequence[Need], asked: Mapping[str, frozenset[Rule]]
) -> Iterator[Line]:
    rules: dict[str, set[Rule]] = defaultdict(set, {place: set(needed) for place, needed in asked.items()})
    unserved: set[tuple[str, str]] = set()
    for need in wanted:
        resource = cluster.resource(need.api_version, need.kind)
        if resource is None:
            unserved.add((need.api_version, need.kind))
        else:
            group = need.api_version.rpartition("/")[0]
            rules[need.namespace].add(Rule(need.verb, resource.plural, None, group))
    for api_version, kind in sorted(unserved):
        text = f"the cluster serves no {kind} of {api_version}, which the stack declares"
        yield warning(PERMISSIONS, text, "install what brings it, or drop the setting", stack)
    for namespace, needed in sorted(rules.items()):
        yield _allowed(stack, cluster, namespace, sorted(needed, key=str))


def _listings(stack: str, cluster: Cluster, settings: StackSettings) -> Iterator[Line]:
    """Whether servers can be found where the configuration looks for them."""
    for listing in list_servers(cluster, settings.servers_from, settings.namespace):
        count = f"{len(listing.objects)} object{'' if len(listing.objects) == 1 else 's'} found"
        if not listing.gaps:
            yield ok(listing.source, count, stack)
        for gap in listing.gaps:
            if gap.lacks is None:
                yield failed(listing.source, *split(gap.why, _CHECK_KUBECONFIG), stack)
                continue
            rule = Rule(gap.lacks.verb, gap.lacks.resource, group=gap.lacks.group)
            role = role_yaml(gap.lacks.namespace, [rule], LISTING_ROLE)
            text = f"{count}, but not allowed to {gap.lacks}"
            yield failed(listing.source, text, _BIND, stack, ExitCode.AUTHENTICATION, role)


def _allowed(stack: str, cluster: Cluster, namespace: str, rules: Sequence[Rule]) -> Line:
    with ThreadPoolExecutor(_AT_ONCE, "permissions") as pool:
        answers = list(pool.map(lambda rule: allows(cluster, namespace, rule), rules))
    missing = [rule for rule, allowed in zip(rules, answers, strict=True) if not allowed]
    if not missing:
        kinds = sorted({rule.resource for rule in rules})
        return ok(PERMISSIONS, f"namespace {namespace}: all that is needed on {', '.join(kinds)}", stack)
    text = f"namespace {namespace}: not allowed to {_listed(missing)}"
    return failed(PERMISSIONS, text, _BIND, stack, ExitCode.AUTHENTICATION, role_yaml(namespace, missing))


def _listed(rules: Sequence[Rule]) -> str:
    verbs: dict[str, list[str]] = defaultdict(list)
    for rule in rules:
        verbs[rule.resource].append(rule.verb)
    return "; ".join(f"{', '.join(found)} {resource}" for resource, found in sorted(verbs.items()))
