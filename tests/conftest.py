"""Fixtures of all tests."""

from tests.support.database import django_db_setup

__all__ = ["django_db_setup"]
