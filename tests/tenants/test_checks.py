"""An unsafe configuration does not start."""

import os
import subprocess
import sys

import pytest

from config.checks import production_is_safe, runtime_powers, runtime_role_is_bound
from devstack import ROOT

SAFE = {
    "DEBUG": False,
    "DEMO": False,
    "HTTPS": True,
    "SECRET_KEY": "s" * 50,
    "ENCRYPTION_KEYS": ["A" * 43 + "="],
    "ALLOWED_HOSTS": ["desk.example.com"],
}


def found(settings, **changed):
    for name, value in {**SAFE, **changed}.items():
        setattr(settings, name, value)
    return [message.id for message in production_is_safe()]


def test_a_safe_configuration_has_no_complaint(settings):
    assert found(settings) == []


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"SECRET_KEY": ""}, "desk.E001"),
        ({"SECRET_KEY": "short"}, "desk.E001"),
        ({"ENCRYPTION_KEYS": []}, "desk.E002"),
        ({"ENCRYPTION_KEYS": ["not a key"]}, "desk.E002"),
        ({"ENCRYPTION_KEYS": ["A" * 43 + "=", "AAAA"]}, "desk.E002"),
        ({"DEBUG": True}, "desk.E003"),
        ({"DEMO": True}, "desk.E004"),
        ({"HTTPS": False}, "desk.E005"),
        ({"ALLOWED_HOSTS": ["*"]}, "desk.E006"),
        ({"ALLOWED_HOSTS": [".example.com"]}, "desk.E006"),
    ],
)
def test_it_names_what_is_not_safe(settings, changed, complaint):
    assert found(settings, **changed) == [complaint]


def test_the_demo_on_loopback_is_fine(settings):
    assert found(settings, DEMO=True, HTTPS=False, ALLOWED_HOSTS=["127.0.0.1", "localhost"]) == []


def test_commands_refuse_to_run_unsafely():
    env = {key: value for key, value in os.environ.items() if not key.startswith("TURNSTONE_")}
    env["DJANGO_SETTINGS_MODULE"] = "config.settings"
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "desk.E001" in done.stderr
    assert "desk.E002" in done.stderr


@pytest.mark.django_db
def test_the_tests_role_is_bound_by_row_security():
    assert runtime_powers() == ""
    assert runtime_role_is_bound(databases=["default"]) == []


def test_a_role_with_powers_is_refused(django_db_setup):
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"}
    env["DATABASE_URL"] = env["SUPERUSER_DATABASE_URL"]
    command = [sys.executable, "manage.py", "check", "--database", "default"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is a superuser" in done.stderr
