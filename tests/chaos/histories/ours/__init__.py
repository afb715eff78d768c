"""Histories with mistakes of users and concurrent runs: lost files, moved servers, edits in the cluster."""
