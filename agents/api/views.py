"""Turns, usage and knowledge for members' programs, one class an address."""

from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import article_for_member, turn_for_member
from agents.api import schema, shapes
from agents.api.serializers import (
    ArticlesQuery,
    SearchQuery,
    TurnsQuery,
    UsageQuery,
    WriteArticle,
)
from agents.models import Article
from agents.selectors.articles import articles
from agents.selectors.knowledge import search_knowledge
from agents.selectors.turns import TurnTrace, turns_of
from agents.selectors.usage import Days, totals, usage
from agents.services.articles import create_article, delete_article, update_article
from agents.services.queueing import retry_turn
from agents.services.regenerating import regenerate_turn
from conversations.access import conversation_for_member
from tenants.errors import InvalidInput
from tenants.gates.api import MemberApiView
from tenants.gates.fields import Nothing
from tenants.gates.paging import Place, page, read_cursor
from tenants.gates.schema import describe
from tenants.permissions import Permission

DEFAULT_DAYS = 30
LONGEST_DAYS = 400


class TurnsView(MemberApiView):
    """What the agent did in a conversation."""

    @describe(
        "list_turns",
        "The newest turns with model calls, tool calls, cost, and the real reason of a failure.",
        query=TurnsQuery,
        answers={200: schema.TurnsOut},
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = conversation_for_member(self.member, conversation_id)
        found = turns_of(conversation.id, limit=self.query(TurnsQuery)["limit"])
        return Response({"results": [shapes.turn_json(trace) for trace in found]})


class RetryView(MemberApiView):
    """One more try of a turn that ended without an answer."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "retry_turn",
        "A new turn in place of a failed or cancelled one, which stays as it is.",
        body=Nothing,
        answers={201: schema.TurnOut},
        problems=[409],
    )
    def post(self, request: Request, turn_id: UUID) -> Response:
        turn = turn_for_member(self.member, turn_id)
        self.payload(Nothing)
        return Response(shapes.turn_json(TurnTrace(retry_turn(turn))), status=201)


class RegenerateView(MemberApiView):
    """Another answer in place of the last one."""

    permissions: ClassVar = {"POST": Permission.REPLY}

    @describe(
        "regenerate_turn",
        "A new turn in place of the last answer, which is kept for members as superseded.",
        body=Nothing,
        answers={201: schema.TurnOut},
        problems=[409],
    )
    def post(self, request: Request, turn_id: UUID) -> Response:
        turn = turn_for_member(self.member, turn_id)
        self.payload(Nothing)
        return Response(shapes.turn_json(TurnTrace(regenerate_turn(turn))), status=201)


class UsageView(MemberApiView):
    """Tokens and money."""

    @describe(
        "usage",
        "Tokens and cost by day, conversation, model or purpose, in the tenant's time zone.",
        query=UsageQuery,
        answers={200: schema.UsageReportOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(UsageQuery)
        days = self._days(query)
        return Response(
            {
                "results": [shapes.used_json(used) for used in usage(days, by=query["by"])],
                "totals": [shapes.used_json(used) for used in totals(days)],
            }
        )

    def _days(self, query: dict[str, Any]) -> Days:
        zone = ZoneInfo(self.member.tenant.time_zone)
        last = query.get("to") or timezone.now().astimezone(zone).date()
        first = query.get("from") or last - timedelta(days=DEFAULT_DAYS - 1)
        if not timedelta(0) <= last - first <= timedelta(days=LONGEST_DAYS):
            raise InvalidInput(errors={"from": [f"Give 0 to {LONGEST_DAYS} days up to `to`."]})
        return Days(first, last, zone)


class ArticlesView(MemberApiView):
    """The knowledge."""

    permissions: ClassVar = {"POST": Permission.KNOWLEDGE}

    @describe(
        "list_articles",
        "The latest changed first, without their text.",
        query=ArticlesQuery,
        answers={200: schema.ArticlesOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(ArticlesQuery)
        after = read_cursor(query.get("cursor"), sort="updated")
        rows = articles(after=after, limit=query["limit"] + 1)
        return Response(
            page(
                rows,
                query["limit"],
                sort="updated",
                place_of=lambda row: Place(row.updated_at, row.id),
                shape=shapes.article_json,
            )
        )

    @describe(
        "create_article",
        "A new page; the agent finds it at once.",
        body=WriteArticle,
        answers={201: schema.ArticleOut},
    )
    def post(self, request: Request) -> Response:
        article = create_article(**self.payload(WriteArticle))
        return Response(_whole(article), status=201)


class ArticleView(MemberApiView):
    """One page of the knowledge."""

    permissions: ClassVar = {"PUT": Permission.KNOWLEDGE, "DELETE": Permission.KNOWLEDGE}

    @describe("get_article", "One page, whole.", answers={200: schema.ArticleOut})
    def get(self, request: Request, article_id: UUID) -> Response:
        return Response(_whole(article_for_member(self.member, article_id)))

    @describe(
        "update_article",
        "The page says this from now on; nothing of what it said before can be found.",
        body=WriteArticle,
        answers={200: schema.ArticleOut},
    )
    def put(self, request: Request, article_id: UUID) -> Response:
        article = article_for_member(self.member, article_id)
        return Response(_whole(update_article(article, **self.payload(WriteArticle))))

    @describe("delete_article", "Gone from every list and every answer.", answers={204: None})
    def delete(self, request: Request, article_id: UUID) -> Response:
        delete_article(article_for_member(self.member, article_id))
        return Response(status=204)


class SearchView(MemberApiView):
    """The search that the agent's tool uses."""

    @describe(
        "search_knowledge",
        "Passages, best first. The agent answers from them only when they are `sufficient`.",
        query=SearchQuery,
        answers={200: schema.SearchOut},
    )
    def get(self, request: Request) -> Response:
        query = self.query(SearchQuery)
        found = search_knowledge(
            query["q"], previous=query.get("previous", ""), limit=query["limit"]
        )
        results = [shapes.found_json(each) for each in found.results]
        return Response({"results": results, "sufficient": found.sufficient})


def _whole(article: Article) -> dict[str, object]:
    article.refresh_from_db()
    return shapes.article_json(article, body=True)
