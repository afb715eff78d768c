"""The results of runs and the status of stacks: as text, JSON, Markdown, HTML and events."""
