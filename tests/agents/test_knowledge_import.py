"""Importing a folder: again and again, and only what is its own."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.models import Article
from agents.services.articles import create_article, import_articles
from tenants.errors import InvalidInput
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tests.agents.knowledge_pages import PAGES, write_pages

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    return Tenant.objects.create(slug="acme", name="Acme")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "logo.svg").write_text("<svg/>")
    (tmp_path / "LICENSE").write_text("free")
    return write_pages(tmp_path)


def run(tenant, folder, name="help"):
    with tenant_scope(tenant.id):
        return import_articles(folder, import_source=name)


def titles(tenant):
    with tenant_scope(tenant.id):
        return dict(Article.objects.values_list("source", "title"))


def test_it_takes_the_title_from_the_first_heading_and_the_source_from_the_file(tenant, folder):
    report = run(tenant, folder)

    assert report.created == len(PAGES)
    assert titles(tenant)["account"] == "Your account"
    with tenant_scope(tenant.id):
        assert Article.objects.get(source="garantie").language == "de"


def test_every_character_is_indexed(tenant, folder):
    report = run(tenant, folder)

    assert report.indexed == report.characters == sum(len(page) for page in PAGES.values())


def test_a_second_import_changes_nothing(tenant, folder):
    run(tenant, folder)
    with tenant_scope(tenant.id):
        before = set(Article.objects.values_list("id", "updated_at"))

    report = run(tenant, folder)

    assert (report.created, report.updated, report.deleted) == (0, 0, 0)
    assert report.unchanged == len(PAGES)
    with tenant_scope(tenant.id):
        assert set(Article.objects.values_list("id", "updated_at")) == before


def test_changed_pages_are_read_anew_and_vanished_ones_deleted(tenant, folder):
    run(tenant, folder)
    (folder / "orders.md").write_text("# Purchases\n\nAll new.\n")
    (folder / "shipping.md").unlink()

    report = run(tenant, folder)

    assert (report.created, report.updated, report.deleted) == (0, 1, 1)
    assert titles(tenant)["orders"] == "Purchases"
    assert "shipping" not in titles(tenant)


def test_articles_of_other_sources_are_left_alone(tenant, folder, tmp_path_factory):
    with tenant_scope(tenant.id):
        create_article(title="By hand", body="Written by a person.")
    other = write_pages(tmp_path_factory.mktemp("other"), {"orders": "# Theirs\n\nText.\n"})
    run(tenant, other, "other")
    run(tenant, folder)
    (folder / "orders.md").unlink()

    run(tenant, folder)

    with tenant_scope(tenant.id):
        left = set(Article.objects.exclude(import_source="help").values_list("title", flat=True))
    assert left == {"By hand", "Theirs"}


@pytest.mark.parametrize("damage", ["empty", "missing", "not utf-8"])
def test_a_folder_that_cannot_be_read_changes_nothing(tenant, folder, tmp_path, damage):
    run(tenant, folder)
    broken = tmp_path / "broken"
    if damage != "missing":
        broken.mkdir()
    if damage == "not utf-8":
        (broken / "page.md").write_bytes(b"# \xff\xfe")

    with pytest.raises(InvalidInput):
        run(tenant, broken)
    assert len(titles(tenant)) == len(PAGES)


def test_an_article_without_words_is_refused(tenant):
    with tenant_scope(tenant.id), pytest.raises(InvalidInput) as refused:
        create_article(title=" ", body="\0\n")
    assert set(refused.value.errors) == {"title", "body"}


def test_the_command_reports(tenant, folder):
    out = StringIO()

    call_command("import_articles", str(folder), tenant="acme", stdout=out)

    assert f"{len(PAGES)} created" in out.getvalue()
    assert "characters indexed" in out.getvalue()


def test_the_command_refuses_an_unknown_tenant(folder):
    with pytest.raises(CommandError, match="no tenant"):
        call_command("import_articles", str(folder), tenant="nobody")
