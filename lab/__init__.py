"""Test doubles, real servers and tools for the tests, the demo and the benchmark; not part of the product."""
