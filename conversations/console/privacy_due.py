"""What the areas of the privacy desk tell its first page."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tenants.console.pages import Context


class Due(NamedTuple):
    """One thing that waits for somebody, or that people should know is under way."""

    at: datetime
    what: str  # what it is: "Erasure request"
    state: str  # where it stands: "Waiting for verification"
    url: str  # its own page
    who: str = ""  # whom or what it is about, while the desk may show it
    tone: str = "plain"  # of the state's badge: plain, info, warning, error
    actions: Sequence[Context] = ()  # buttons for what can be done at once
