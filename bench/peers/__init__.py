"""Other libraries' ways to keep a talk, in a virtual environment of their own."""
