"""What people see of an operation on several stacks: while it goes on, and when it is over."""

from dittoinfra.cli.screen.board import Board
from dittoinfra.cli.screen.lines import Lines
from dittoinfra.cli.screen.summary import show_changes, show_printed, show_summary

__all__ = ["Board", "Lines", "show_changes", "show_printed", "show_summary"]
