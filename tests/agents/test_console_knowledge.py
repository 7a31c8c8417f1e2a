"""Articles through the web admin: written, found, tried out, deleted."""

import re

import pytest

from agents.models import Article, Passage
from agents.services.articles import create_article
from tests.support.console import text_of
from tests.support.queries import at_most

BODY = "# Returns\n\nYou may return a lamp within 30 days.\n\n## Refunds\n\nWe refund in a week."


@pytest.fixture
def article(cast) -> Article:
    with cast.acme.scope():
        return create_article(title="Returns", body=BODY)


def test_an_article_is_written_and_found_at_once(browser_of, cast):
    alice = browser_of("alice")

    answer = alice.post("agents:add-article", title="Returns", body=BODY)

    assert answer.status_code == 302
    page = text_of(alice.get("agents:knowledge-search", q="Can I return a lamp?"))
    assert "within 30 days" in page
    assert "Sufficient:" in page
    assert re.search(r'class="score"><span>0\.\d\d', page)


def test_a_question_without_an_answer_is_not_sufficient(browser_of, article):
    page = text_of(browser_of("alice").get("agents:knowledge-search", q="Do you repair bicycles?"))
    assert "Not sufficient" in page


def test_saving_says_the_new_text_and_forgets_the_old(browser_of, cast, article):
    alice = browser_of("alice")
    alice.post("agents:article", article.id, title="Returns", body="Sixty days now.")
    with cast.acme.scope():
        assert [p.text for p in Passage.objects.all()] == ["Sixty days now."]


def test_deleting_removes_every_word(browser_of, cast, article):
    alice = browser_of("alice")
    assert "data-confirm" in text_of(alice.get("agents:article", article.id))
    assert alice.post("agents:delete-article", article.id).status_code == 302
    with cast.acme.scope():
        assert not Article.objects.exists()
        assert not Passage.objects.exists()


def test_an_empty_article_comes_back_with_what_to_do(browser_of, cast):
    answer = browser_of("alice").post("agents:add-article", title="Returns", body="  ")
    assert answer.status_code == 422
    assert "Write something" in text_of(answer)


def test_the_preview_counts_passages_and_lets_no_tag_through(browser_of):
    body = BODY + "\n\n# Third\n\n<script>alert(1)</script>"
    page = text_of(browser_of("alice").post("agents:preview-article", body=body))
    assert "3 passages" in page
    assert "<script>" not in page


def test_an_imported_page_warns_of_the_next_import(browser_of, cast):
    with cast.acme.scope():
        page = create_article(title="Returns", body=BODY, source="returns", import_source="docs")
    assert "next import" in text_of(browser_of("alice").get("agents:article", page.id))


@pytest.mark.parametrize("name", ["agents:articles", "agents:knowledge-search"])
def test_only_those_who_keep_the_knowledge_see_it(browser_of, article, name):
    for person, status in {"olga": 200, "bob": 403, "vera": 403, "mallory": 404}.items():
        assert browser_of(person).get(name).status_code == status, person


def test_another_tenants_admin_reaches_no_article(browser_of, article):
    mallory = browser_of("mallory")
    assert mallory.get("agents:article", article.id).status_code == 404
    assert mallory.post("agents:delete-article", article.id).status_code == 404


def test_the_list_costs_the_same_for_any_number_of_articles(browser_of, cast, article):
    alice = browser_of("alice")
    with at_most(8) as few:
        alice.get("agents:articles")
    with cast.acme.scope():
        for number in range(12):
            create_article(title=f"Page {number}", body=BODY)
    with at_most(8) as many:
        alice.get("agents:articles")
    assert len(few) == len(many)


def test_the_list_goes_on_behind_a_page(browser_of, cast):
    with cast.acme.scope():
        for number in range(53):
            create_article(title=f"Page {number}", body="Words.")
    alice = browser_of("alice")
    first = text_of(alice.get("agents:articles"))
    following = re.search(r'href="(\?after=[^"]+)" rel="next"', first)
    assert following
    rest = text_of(alice.client.get(alice.url("agents:articles") + following[1]))
    titles = re.findall(r">(Page \d+)</a>", first + rest)
    assert len(titles) == len(set(titles)) == 53
