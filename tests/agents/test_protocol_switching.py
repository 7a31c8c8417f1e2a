"""A talk goes on whichever protocol answered before and whichever answers next."""

from itertools import product

import pytest

from agents.models import Api
from agents.runtime.runner import run_turn
from agents.services.articles import create_article
from agents.services.endpoints import EndpointSettings, set_endpoint
from conversations.models import Message
from tenants.scoping import tenant_scope
from tests.support.protocols import as_protocol_wants, base_url, loose_ends, play, read
from tests.support.recorder import Recorder
from tests.support.talks import Recorder as Desk
from tests.support.talks import claim, ended, make_talk, make_tenant, post, reply

pytestmark = pytest.mark.django_db(transaction=True)

HOURS = "# Opening hours\n\nWe are open Monday to Friday from nine to five.\n"
QUESTION = "What are your opening hours?"
PAIRS = [(one, other) for one, other in product(Api.values, Api.values) if one != other]


def turn(tenant, talk, api, server, number):
    url = "" if api == Api.OFFLINE else base_url(api, server)
    with tenant_scope(tenant.id):
        set_endpoint(EndpointSettings(api=api, model=f"m-{api}", base_url=url), trusted=True)
    if api != Api.OFFLINE:
        search = (f"call_{number}", "search_knowledge", {"query": "hours"})
        server.answers[:] = [play(api, "", search), play(api, f"From {api}.")]
    server.requests.clear()
    claimed = claim(talk)
    desk = Desk()
    run_turn(claimed, calls=[], desk=desk.desk)
    ended(claimed)
    bodies = [request.body for request in server.requests]
    return desk.answers[0].rows[-1].text, bodies


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=str)
def test_every_ordered_pair(one, other):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        create_article(title="Opening hours", body=HOURS)
    talk = make_talk(tenant, QUESTION)
    with Recorder() as server:
        first, _ = turn(tenant, talk, one, server, 1)
        reply(talk, "We are closed on Sunday.")
        post(talk, QUESTION)
        second, bodies = turn(tenant, talk, other, server, 2)
        post(talk, "thanks")
        third, back = turn(tenant, talk, one, server, 3)
    assert all((first, second, third))
    for api, sent in ((other, bodies), (one, back)):
        for body in sent:
            seen = read(api, body)
            assert loose_ends(seen) == []
            assert as_protocol_wants(api, body)
            said = "\n".join(line.text for line in seen)
            assert first in said
            assert "[Sam, support] We are closed on Sunday." in said
            assert said.count(QUESTION) == 2
    with tenant_scope(tenant.id):
        assert Message.objects.filter(conversation=talk, role="tool").count() >= 2
