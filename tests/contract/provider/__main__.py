"""Record how a Kubernetes provider behaves, or hold another one to the record."""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.contract.provider.play import HERE, play
from tests.contract.provider.transcript import differences, scrubbed


def main() -> int:
    """Play the scenarios, several at once."""
    options = _parser().parse_args()
    names = options.only or sorted(path.stem for path in (HERE / "scenarios").glob("*.yaml"))
    with ThreadPoolExecutor(max_workers=options.jobs) as threads:
        good = list(threads.map(lambda name: _guarded(options, name), names))
    done = "recorded" if options.command == "record" else "the same"
    sys.stdout.write(f"{good.count(True)} of {len(names)} scenarios {done}\n")
    return 0 if all(good) else 1


def _guarded(options: argparse.Namespace, name: str) -> bool:
    """One scenario that breaks must not take the others along."""
    try:
        return {"record": _record, "compare": _compare}[options.command](options, name)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is reported)
        sys.stdout.write(f"{name}: broken: {error!r}\n")
        return False


def _record(options: argparse.Namespace, name: str) -> bool:
    text = json.dumps(play(name, options.provider, os.environ["KUBECONFIG"]), indent=1, sort_keys=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    return True


def _compare(options: argparse.Namespace, name: str) -> bool:
    official = json.loads((options.against / f"{name}.json").read_text(encoding="utf-8"))
    aliases = dict(alias.split("=", 1) for alias in options.alias)
    other = scrubbed(play(name, options.provider, os.environ["KUBECONFIG"]), aliases)
    found = list(differences(official, other, frozenset(options.ignore) | {"idea"}))
    sys.stdout.write("".join(f"{name}: {line}\n" for line in found))
    return not found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="write one transcript per scenario")
    record.add_argument("--out", type=Path, required=True, metavar="DIR")
    compare = commands.add_parser("compare", help="print every difference to recorded transcripts")
    compare.add_argument("--against", type=Path, required=True, metavar="DIR")
    compare.add_argument(
        "--alias", action="append", default=[], metavar="REGEX=NAME", help="read one as the other"
    )
    compare.add_argument(
        "--ignore", action="append", default=[], metavar="FIELD", help="leave it out everywhere"
    )
    for command in (record, compare):
        command.add_argument("--provider", required=True, metavar="CMD|HOST:PORT")
        command.add_argument("--only", action="append", metavar="NAME", help="this scenario; may be repeated")
        command.add_argument("--jobs", type=int, default=4, metavar="N", help="scenarios at once")
    return parser


if __name__ == "__main__":
    sys.exit(main())
