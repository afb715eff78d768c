"""Mistakes of users and of the product's own runs remove nothing: edits, lost files, concurrent runs."""
