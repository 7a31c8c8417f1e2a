"""What a tenant's agent may answer from."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left, Length, Now

from tenants.constraints import RowSecurity, TenantForeignKey
from tenants.scoping import TenantScopedModel


class Article(TenantScopedModel):
    """A page of the tenant's knowledge, written by a member or imported from a folder."""

    title = models.CharField(max_length=300)
    body = models.TextField()
    # The imported file's stem, or a URL: what an answer names as its source.
    source = models.CharField(max_length=500, blank=True)
    # The folder or site that it came from; empty when a member wrote it. An import only deletes
    # its own.
    import_source = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=12, default="en")
    # Says of itself that another page has taken its place; ranks behind that one.
    outdated = models.BooleanField(default=False)
    digest = models.CharField(max_length=64)
    characters = models.PositiveIntegerField(default=0)
    indexed = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="article_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="article_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "import_source", "source"],
                condition=~Q(import_source=""),
                name="article_imported_once",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Passage(TenantScopedModel):
    """One section of an article, as the search finds and quotes it; replaced, never changed."""

    article = models.ForeignKey(
        Article,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="passages",
    )
    ordinal = models.PositiveIntegerField()
    heading = models.TextField(blank=True)
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    text = models.TextField()
    language = models.CharField(max_length=12, default="en")
    # Every word of title, headings and text once, folded: what KnowledgeWord counts.
    words = ArrayField(models.TextField(), default=list, blank=True)
    length = models.PositiveIntegerField(default=0)
    # Stems with weight A for the title, B for the headings, D for the text.
    search = SearchVectorField(editable=False)

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="passage_tenant"),
            TenantForeignKey(name="passage_article_fk", field="article", to="agents_article"),
            models.UniqueConstraint(
                fields=["tenant", "article", "ordinal"], name="passage_ordinal"
            ),
        ]
        indexes = [
            # For the candidates of a search; the tenant inside keeps other tenants' rows out of
            # the bitmap.
            GinIndex(
                fields=["tenant", "search"],
                opclasses=["uuid_ops", "tsvector_ops"],
                name="passage_search",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.heading or self.article_id} #{self.ordinal}"


class KnowledgeWord(TenantScopedModel):
    """A word of the tenant's passages, its stem, and in how many passages it stands.

    Kept by a trigger on Passage, so that it cannot drift from what can be found. It weighs rare
    words and knows what a mistyped word may have meant.
    """

    word = models.TextField()
    lexeme = models.TextField()
    passages = models.PositiveIntegerField()

    class Meta(TenantScopedModel.Meta):
        constraints = [
            RowSecurity(name="knowledge_word_tenant"),
            models.UniqueConstraint(
                fields=["tenant", "lexeme", "word"], name="knowledge_word_once"
            ),
        ]
        indexes = [
            # For the neighbours of a mistyped word: people rarely miss its first letter.
            models.Index(F("tenant"), Left("word", 1), Length("word"), name="knowledge_word_near"),
        ]

    def __str__(self) -> str:
        return self.word
