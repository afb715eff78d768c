"""What came of a run, for people and programs: Markdown, JSON, HTML."""
