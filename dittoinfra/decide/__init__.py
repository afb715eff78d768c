"""Decides from polls and state what a run declares. Pure: no engine, no network, no clock."""
