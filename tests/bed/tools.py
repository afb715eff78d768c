"""The real programs the tests run against, built once from their Go modules."""

from pathlib import Path

from dittoinfra.engine import GoTool

DITTOFS_VERSION = "v0.29.0"
KUBERNETES_VERSION = "v1.36.3"
ETCD_VERSION = "v3.6.8"
KWOK_VERSION = "v0.8.0"

# Go names a program after the last element of its package's path that is no version, and etcd's is `server`.
ETCD = "server"
KUBE_APISERVER = "kube-apiserver"
KUBE_CONTROLLER_MANAGER = "kube-controller-manager"
KUBE_SCHEDULER = "kube-scheduler"
KWOK = "kwok"
DFS = "dfs"

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

DITTOFS_TOOL = GoTool(
    name="dittofs",
    version=DITTOFS_VERSION,
    module_dir=_MODULES / "dittofs",
    packages=("github.com/marmos91/dittofs/cmd/dfs",),
    binaries=(DFS,),
)

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
