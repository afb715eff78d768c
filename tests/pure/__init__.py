"""Tests of the pure layers, with full branch coverage: no process, no network."""
