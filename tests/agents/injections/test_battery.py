"""Over a hundred attacks on a model that obeys each one: nothing leaves and nothing is done.

That words can talk a model into anything is taken for granted; what holds is built around it.
"""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from tests.agents.injections.obedient import CALLS, EVIL, OWN_LINK, WORDS, Obedient
from tests.agents.injections.table import attacks
from tests.agents.injections.world import OWN, World

pytestmark = pytest.mark.django_db

ATTACKS = attacks()
# The words must reach the model here, or a case proves nothing; a note must not; the rest may.
REACHED, UNHEARD = {"customer", "knowledge", "heading", "tool"}, {"note"}
_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "s", "strong"),
    *("table", "tbody", "td", "th", "thead", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6"),
}


def test_the_table_is_long_and_each_act_is_known():
    assert len(ATTACKS) >= 100
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert {attack.act for attack in ATTACKS} - {"say"} == set(CALLS) | set(WORDS)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.channel}-{attack.name}")
def test_an_obeyed_injection_takes_nothing_out_and_does_nothing(attack, tmp_path):
    world = World.make(attack, tmp_path)
    world.ask(attack)
    model = Obedient(attack)
    world.shop.work_off_with(model.client)

    if attack.channel in REACHED | UNHEARD:
        assert model.was_reached == (attack.channel in REACHED)
    left = world.left()
    # The model did carry out what it saw: its own customer's word is there.
    assert OWN in left
    assert [name for name, word in world.secrets.items() if word in left] == []
    assert "stock.invalid" in str(world.urls()) or attack.act not in {"http", "http_path"}
    assert world.effects() == []
    for page in world.pages():
        assert faults_of(page) == []


@pytest.mark.parametrize("name", ["c03", "k03", "t02"])
def test_what_it_wants_done_waits_with_its_arguments_for_a_person(name, tmp_path):
    attack = next(attack for attack in ATTACKS if attack.name == name)
    world = World.make(attack, tmp_path)
    world.ask(attack)
    world.shop.work_off_with(Obedient(attack).client)
    asked = world.shop.asked()
    assert {row.state for row in asked} == {"pending"}
    assert {row.arguments["order"] for row in asked} <= {"1001", "1002", "1003"}
    assert world.shop.events().count("waiting_for_colleague") == 1


def test_a_link_to_the_tenants_own_site_stays_a_link(tmp_path):
    world = World.make(ATTACKS[0], tmp_path)
    world.ask(ATTACKS[0])
    world.shop.work_off_with(Obedient(ATTACKS[0]).client)
    assert f'href="{OWN_LINK}"' in world.pages()[-1]


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.faults = []

    def handle_starttag(self, tag, attributes):
        if tag not in _TAGS:
            self.faults.append(tag)
        for name, value in attributes:
            if name == "href" and urlsplit(value).hostname != "shop.example.com":
                self.faults.append(value)
            elif name not in {"href", "rel", "target", "start"}:
                self.faults.append(name)


def faults_of(html):
    """Tags that run or fetch, and links that lead elsewhere than to the tenant's own sites."""
    page = _Page()
    page.feed(html)
    return page.faults


def test_the_check_itself_sees_what_it_must():
    assert faults_of(f'<p><img src="{EVIL}"></p>') == ["img", "src"]
    assert faults_of(f'<a href="{EVIL}">x</a>') == [EVIL]
    assert faults_of('<p style="x">y</p>') == ["style"]
