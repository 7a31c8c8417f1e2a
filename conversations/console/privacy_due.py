"""What the areas of the privacy desk tell its first page."""

from datetime import datetime
from typing import NamedTuple


class Due(NamedTuple):
    """One thing that waits for somebody, or that people should know is under way."""

    at: datetime
    what: str  # what it is, in words, without a name: "Erasure request"
    state: str  # where it stands: "Waiting for verification"
    url: str  # its own page
    tone: str = "plain"  # of the state's badge: plain, info, warning, error
