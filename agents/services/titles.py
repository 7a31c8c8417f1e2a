"""When a conversation gets its title from the agent."""

TITLE = "title"
