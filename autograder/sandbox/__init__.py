"""What runs inside the sandbox, and the walls around it. Nothing here knows the reference or the mistakes."""
