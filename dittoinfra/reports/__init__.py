"""What came of runs, and how stacks stand: for terminals, pipelines, pages and machines."""
