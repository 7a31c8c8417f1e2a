"""What the agents app does on the hooks of conversations."""
