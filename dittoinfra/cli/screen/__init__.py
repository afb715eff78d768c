"""What people see of an operation on several stacks: while it goes on, and when it is over."""
