"""When a conversation gets its title from the agent."""

from tenants import due

TITLE = due.kind("title", queue="bulk")
