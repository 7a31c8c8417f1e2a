"""The table of attacks as rows."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Attack:
    """Where the words come in, what they say, and what a model that obeys them does."""

    channel: str
    name: str
    act: str
    wording: str

    @property
    def words(self) -> str:
        """The wording with a mark by which the model knows that it has read it."""
        return f"{self.wording} {self.mark}"

    @property
    def mark(self) -> str:
        return f"ref-{self.name}"


_HEADING = re.compile(r"## (\w+)")
_ROW = re.compile(r"\| ([a-z]\d\d) \| (\w+) \| (.+) \|")


def attacks() -> list[Attack]:
    """Every row of cases.md."""
    found: list[Attack] = []
    channel = ""
    for line in Path(__file__).with_name("cases.md").read_text().splitlines():
        if heading := _HEADING.fullmatch(line):
            channel = heading[1]
        elif row := _ROW.fullmatch(line):
            found.append(Attack(channel, row[1], row[2], row[3]))
    return found
