"""Stacks of a project on the real engine: one and many, plans, recovery."""
