"""`python -m lab.standin`: serve until told to stop."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from dittoinfra.kubernetes import ClusterError, connect
from lab.standin.api import ApiStore
from lab.standin.folder import FolderStore
from lab.standin.serve import StandInProvider
from lab.standin.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the environment line on stdout, serve, and leave on SIGINT or SIGTERM."""
    options = _parser().parse_args(arguments)
    try:
        store = _store(options)
    except ClusterError as error:
        sys.stderr.write(f"stand-in Kubernetes provider: {error}\n")
        return 1
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with StandInProvider(store) as provider:
        for name, value in provider.environment().items():
            sys.stdout.write(f"{name}={value}\n")
        sys.stdout.flush()
        stop.wait()
    if store is not None:
        store.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.standin",
        description="The stand-in Kubernetes provider. Prints the environment variable that attaches an "
        "engine to it. Without --manifests and --kubeconfig, each stack's provider configuration decides.",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--manifests", metavar="DIR", type=Path, help="write manifests into this folder")
    place.add_argument("--kubeconfig", metavar="FILE", help="apply to the cluster of this kubeconfig")
    parser.add_argument("--context", metavar="NAME", help="the context to use, instead of the current one")
    return parser


def _store(options: argparse.Namespace) -> Store | None:
    if options.manifests is not None:
        return FolderStore(options.manifests)
    if options.kubeconfig is not None or options.context is not None:
        return ApiStore(connect(options.kubeconfig, options.context))
    return None


if __name__ == "__main__":
    sys.exit(main())
