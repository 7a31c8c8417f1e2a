"""What differs under test: a cheap hasher, quick leases, no real deployment's secrets."""

import os

os.environ.setdefault("TURNSTONE_DEMO", "1")
os.environ.setdefault("TURNSTONE_SECRET_KEY", "test-only-" + "k" * 50)
os.environ.setdefault("TURNSTONE_ENCRYPTION_KEYS", "A" * 43 + "=")

from config.settings import *  # noqa: F403 - the one place where a star import is meant

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
