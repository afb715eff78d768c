"""Errors of building a Go tool.

EngineError
└── ToolBuildError         `go build` did not give the binaries
    └── GoNotFoundError    there is no Go to build with

Every message is one line: what, where, why, what next.
"""

from dittoinfra.engine.engine_errors import EngineError


class ToolBuildError(EngineError):
    """A Go tool did not build."""


class GoNotFoundError(ToolBuildError):
    """There is no Go toolchain to build with."""
