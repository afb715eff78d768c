"""The real programs that the tests run against, built from their Go modules."""

from pathlib import Path

from lab.gotools import GoTool
from lab.simulator.versions import TESTED, V0_29

KUBERNETES_VERSION = "v1.36.3"
ETCD_VERSION = "v3.6.8"
KWOK_VERSION = "v0.8.0"
VERSITYGW_VERSION = "v1.8.0"
PULUMI_YAML_VERSION = "v1.38.0"
EXTERNAL_DNS_VERSIONS = "v0.21.0", "v0.23.0"
"""The last one that reads the prefix `external-dns.alpha.kubernetes.io/`, and today's, which does not."""

# Go names a program after the last element of its package's path that is no version, and etcd's is `server`.
ETCD = "server"
KUBE_APISERVER = "kube-apiserver"
KUBE_CONTROLLER_MANAGER = "kube-controller-manager"
KUBE_SCHEDULER = "kube-scheduler"
KWOK = "kwok"
DFS = "dfs"
VERSITYGW = "versitygw"
EXTERNAL_DNS = "one_pass"
PULUMI_YAML = "pulumi-language-yaml"

KWOK_MODULE = "sigs.k8s.io/kwok"

_MODULES = Path(__file__).parent / "modules"
_KUBERNETES_VERSION_PACKAGE = "k8s.io/component-base/version"
_MAJOR, _MINOR, _ = KUBERNETES_VERSION.removeprefix("v").split(".")
# Clients choose what they send by the version that the server says it is.
_KUBERNETES_LDFLAGS = (
    f"-s -w -X {_KUBERNETES_VERSION_PACKAGE}.gitVersion={KUBERNETES_VERSION}"
    f" -X {_KUBERNETES_VERSION_PACKAGE}.gitMajor={_MAJOR}"
    f" -X {_KUBERNETES_VERSION_PACKAGE}.gitMinor={_MINOR}"
)

DITTOFS_TOOLS = {
    version: GoTool(
        name="dittofs",
        version=f"v{version}",
        module_dir=_MODULES / f"dittofs-{version}",
        packages=("github.com/marmos91/dittofs/cmd/dfs",),
        binaries=(DFS,),
    )
    for version in TESTED
}
DITTOFS_TOOL = DITTOFS_TOOLS[V0_29]
"""For whatever does not depend on the version."""

KUBERNETES_TOOL = GoTool(
    name="kubernetes",
    version=f"{KUBERNETES_VERSION}-etcd-{ETCD_VERSION}",
    module_dir=_MODULES / "kubernetes",
    packages=("go.etcd.io/etcd/server/v3", "k8s.io/kubernetes/cmd/kube-apiserver"),
    binaries=(ETCD, KUBE_APISERVER),
    ldflags=_KUBERNETES_LDFLAGS,
)

# Not of the same module as the API server: most tests need that one alone, and would wait for these too.
CONTROLLERS_TOOL = GoTool(
    name="kubernetes-controllers",
    version=KUBERNETES_VERSION,
    module_dir=_MODULES / "controllers",
    packages=("k8s.io/kubernetes/cmd/kube-controller-manager", "k8s.io/kubernetes/cmd/kube-scheduler"),
    binaries=(KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER),
    ldflags=_KUBERNETES_LDFLAGS,
)

KWOK_TOOL = GoTool(
    name="kwok",
    version=KWOK_VERSION,
    module_dir=_MODULES / "kwok",
    packages=(f"{KWOK_MODULE}/cmd/kwok",),
    binaries=(KWOK,),
)

# An S3 gateway in front of a folder: the smallest real server of that API that is a Go module.
VERSITYGW_TOOL = GoTool(
    name="versitygw",
    version=VERSITYGW_VERSION,
    module_dir=_MODULES / "versitygw",
    packages=("github.com/versity/versitygw/cmd/versitygw",),
    binaries=(VERSITYGW,),
)

# The host of programs in Pulumi YAML, with the same packages of Pulumi as the CLI that is built.
PULUMI_YAML_TOOL = GoTool(
    name="pulumi-yaml",
    version=PULUMI_YAML_VERSION,
    module_dir=_MODULES / "pulumi-yaml",
    packages=(f"github.com/pulumi/pulumi-yaml/cmd/{PULUMI_YAML}",),
    binaries=(PULUMI_YAML,),
)

# One pass of ExternalDNS, without the clients of clouds that its own program has: see the sources.
EXTERNAL_DNS_TOOLS = {
    version: GoTool(
        name="external-dns",
        version=version,
        module_dir=_MODULES / "external-dns" / version.rpartition(".")[0],
        # One file for both versions, which each module builds as a program of its own.
        packages=("../one_pass.go",),
        binaries=(EXTERNAL_DNS,),
        sources=(_MODULES / "external-dns" / "one_pass.go",),
    )
    for version in EXTERNAL_DNS_VERSIONS
}

BUILT = (
    *DITTOFS_TOOLS.values(),
    KUBERNETES_TOOL,
    CONTROLLERS_TOOL,
    KWOK_TOOL,
    VERSITYGW_TOOL,
    *EXTERNAL_DNS_TOOLS.values(),
    PULUMI_YAML_TOOL,
)
"""All of them, in the order in which they are built."""
