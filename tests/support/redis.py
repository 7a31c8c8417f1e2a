"""The session's Redis: real, shared by the tests, emptied by those that need it empty."""

import os

import redis


def connect() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"])


def empty_redis() -> None:
    with connect() as connection:
        connection.flushdb()
