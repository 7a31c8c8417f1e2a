"""Carol's talk at Acme, and the browsers of those who look at it."""

from tests.conversations.conftest import browser_of, talk

__all__ = ["browser_of", "talk"]
