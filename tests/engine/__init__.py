"""Whole stacks on the real engine."""
