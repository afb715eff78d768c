"""Watching servers, and running a stack when, and only when, their adapters changed."""
