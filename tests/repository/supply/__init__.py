"""What is installed, from where it comes, under which licence, and what is known against it."""
