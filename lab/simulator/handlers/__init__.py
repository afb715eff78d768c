"""What the routes do, one module for each family of paths."""
