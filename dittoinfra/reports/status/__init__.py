"""What is known of stacks, and how they differ from what they should be. Nothing here changes anything."""
