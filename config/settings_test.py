"""What differs under test: a cheap hasher, quick leases, no real deployment's secrets."""

import os

os.environ.setdefault("TURNSTONE_DEMO", "1")
os.environ.setdefault("TURNSTONE_SECRET_KEY", "test-only-" + "k" * 50)
os.environ.setdefault("TURNSTONE_ENCRYPTION_KEYS", "A" * 43 + "=")
# The services' own folder, with their logs: a scan in a test reads it like the demo's.
if folder := os.environ.get("TURNSTONE_TEST_DATA"):
    os.environ.setdefault("TURNSTONE_DATA", folder)

from config.settings import *  # noqa: F403 - the one place where a star import is meant

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
