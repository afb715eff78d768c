"""What can go wrong on the way to a working engine.

EngineError
├── CacheUnusableError     the cache directory cannot be written
├── CliNotFoundError       every way to a pulumi CLI was tried
├── InstallError           the official installer was reached and did not finish
└── ToolBuildError         `go build` did not give the binaries
    └── GoNotFoundError    there is no Go to build with

Every message is one line: what, where, why, what next.
"""

import re

_URL_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


class EngineError(Exception):
    """The engine, or a part of it, cannot be had."""


class CacheUnusableError(EngineError):
    """The directory that keeps what was fetched or built cannot be written."""


class CliNotFoundError(EngineError):
    """No supported pulumi CLI is here, and none could be fetched or built."""


class InstallError(EngineError):
    """The official installer did not finish."""


class ToolBuildError(EngineError):
    """A Go tool did not build."""


class GoNotFoundError(ToolBuildError):
    """There is no Go toolchain to build with."""


def one_line(*lines: str) -> str:
    """Lines of another program's output as one line that is safe to show."""
    # Proxies and module mirrors are often configured as https://user:password@host, and programs quote them.
    return _URL_CREDENTIALS.sub("***@", " | ".join(" ".join(line.split()) for line in lines if line.strip()))
