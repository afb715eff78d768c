"""Generators of the repository: they write what is said about the code elsewhere, and check it."""
