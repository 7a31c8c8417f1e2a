"""A teammate who leaves keeps no conversation."""

import pytest

from conversations.models import Event
from conversations.services.control import take_over
from tenants.models import Member, Role, Tenant, User
from tenants.scoping import tenant_scope
from tenants.services.members import remove
from tests.support.desk import Desk

pytestmark = pytest.mark.django_db


def test_the_talks_of_a_removed_member_stand_unassigned():
    tenant = Tenant.objects.create(slug="northwind", name="Northwind Bikes")
    with tenant_scope(tenant.id):
        desk = Desk.make()
        owner = Member.objects.create(
            user=User.objects.create_user("olga@example.org", name="Olga"), role=Role.OWNER
        )
        conversation = desk.start()
        take_over(conversation, by=desk.sam)

        remove(desk.sam, by=owner)

        conversation.refresh_from_db()
        newest = Event.objects.filter(conversation=conversation).order_by("-seq").first()
        assert (conversation.assignee, conversation.handler) == (None, "team")
        assert newest is not None
        assert newest.kind == Event.Kind.ASSIGNED
