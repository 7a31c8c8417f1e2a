"""The agent's abilities: one module each, made by the one decorator in `decorator.py`."""
