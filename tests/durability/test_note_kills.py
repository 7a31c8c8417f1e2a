"""A real worker dies while a model thinks about a note: it is made by the next one, once."""

import pytest
from django.db.models.functions import Now

from agents.models import ModelCall
from agents.services.endpoints import EndpointSettings, set_endpoint
from tenants import due
from tenants.models import DueWork, Tenant
from tenants.scoping import tenant_scope
from tests.durability.faults import QUICK
from tests.support.model_server import ModelServer, Reply
from tests.support.stack import running_stack, wait_for
from tests.support.talks import make_talk

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.durability,
    pytest.mark.timeout(180),
]
FACTS = '{"facts": [{"label": "Order", "value": "1001", "line": 1}]}'


class Model:
    """Thinks for a minute the first time."""

    def __init__(self):
        self.asked = 0

    def __call__(self, _body):
        self.asked += 1
        return Reply(FACTS, seconds=60 if self.asked == 1 else 0)


def test_a_worker_that_dies_in_the_middle_leaves_the_note_to_the_next_one():
    model = Model()
    with ModelServer(model) as server, running_stack("bulk", "sweep", "beat", env=QUICK) as stack:
        tenant = Tenant.objects.create(slug="northwind", name="Northwind")
        with tenant_scope(tenant.id):
            at = EndpointSettings("chat_completions", "scripted", base_url=server.base_url)
            set_endpoint(at, trusted=True)
        talk = make_talk(tenant, "Where is order 1001?")
        with tenant_scope(tenant.id):
            due.schedule("facts", talk.id)
        wait_for(lambda: model.asked, what="the model to be asked")
        held = DueWork.objects.get(kind="facts")
        stack.kill("bulk")
        stack.start("bulk")
        # The sweep has gone round; what a worker holds is rung for once its time is over.
        assert model.asked == 1
        DueWork.objects.filter(pk=held.pk).update(due_at=Now())
        wait_for(lambda: not DueWork.objects.filter(kind="facts").exists(), what="the note")
    assert model.asked == 2
    with tenant_scope(tenant.id):
        talk.refresh_from_db()
        assert talk.dossier["facts"] == [{"label": "Order", "value": "1001", "seq": 1}]
        assert [call.purpose for call in ModelCall.objects.all()] == ["facts"]
