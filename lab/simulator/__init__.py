"""A simulated DittoFS API for tests and demos: real HTTP on loopback.

It implements the paths that concern adapters, in each supported version; the contract tests compare it with
the real server. Left out: HTTP/2, shares and stores, and the crash of servers before 0.31 that start with a
stored port above 65535.
"""

from lab.simulator.adapter import Adapter
from lab.simulator.script import Request
from lab.simulator.simulated import SimulatedDittoFS

__all__ = ["Adapter", "Request", "SimulatedDittoFS"]
