"""Whole stacks on the real engine, as a user runs them."""
