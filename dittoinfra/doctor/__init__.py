"""Checks of what would keep the next run of a project from succeeding, each with what to do about it."""
