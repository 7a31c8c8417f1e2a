"""The operator's command makes a tenant that somebody can sign in to."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tenants.models import User

OPTIONS = {"slug": "initech", "name": "Initech", "owner_email": "ina@example.org"}


def test_the_first_owner_signs_in_with_the_printed_password(db, capsys):
    call_command("create_tenant", **OPTIONS)

    password = re.search(r"shown once\): (\S+)", capsys.readouterr().out)
    assert password
    client = Client()
    client.post("/login/", {"username": "ina@example.org", "password": password[1]})
    assert client.get("/")["Location"] == "/t/initech/"


def test_somebody_known_keeps_the_password(db, capsys):
    User.objects.create_user("ina@example.org", "a long enough phrase", name="Ina")
    call_command("create_tenant", **OPTIONS)
    assert "Password" not in capsys.readouterr().out


def test_a_taken_slug_is_refused_and_leaves_nothing(db):
    call_command("create_tenant", **OPTIONS)
    with pytest.raises(CommandError, match="Choose another short name"):
        call_command("create_tenant", **{**OPTIONS, "owner_email": "new@example.org"})
    assert not User.objects.filter(email="new@example.org").exists()
