"""A password hasher that counts: equal work is what makes two refusals take equal time."""

from django.contrib.auth.hashers import MD5PasswordHasher


class CountingHasher(MD5PasswordHasher):
    """Counts how often it derives a hash."""

    derived = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.derived += 1
        return super().encode(password, salt)
