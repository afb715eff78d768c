"""Waits until an object is ready or deleted."""
