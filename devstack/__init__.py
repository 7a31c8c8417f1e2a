"""The project's house: embedded services, the supervisor, and what `./desk` runs. No Django app."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
