"""The only way from an outside id to a row. Absent, foreign and forbidden give the same answer."""

from uuid import UUID

from agents.models import (
    AgentProfile,
    Approval,
    Article,
    HttpTool,
    McpServer,
    ModelEndpoint,
    ReplyDraft,
    Specialist,
    Turn,
)
from conversations.access import conversation_for_member, parse_id
from tenants.errors import NotFound
from tenants.models import Member
from tenants.permissions import Permission, may


def turn_for_member(member: Member, turn_id: UUID | str) -> Turn:
    """A turn of a conversation that the member may read."""
    turn = Turn.objects.filter(pk=parse_id(turn_id)).first()
    if turn is None:
        raise NotFound
    conversation_for_member(member, turn.conversation_id)
    return turn


def approval_for_member(member: Member, approval_id: UUID | str) -> Approval:
    """A request of the agent in a conversation that the member may read."""
    approval = Approval.objects.filter(pk=parse_id(approval_id)).first()
    if approval is None:
        raise NotFound
    conversation_for_member(member, approval.conversation_id)
    return approval


def article_for_member(member: Member, article_id: UUID | str) -> Article:
    """An article of the tenant's knowledge, for a member who may read what customers are told."""
    article = Article.objects.filter(pk=parse_id(article_id)).first()
    if article is None or not may(member, Permission.READ):
        raise NotFound
    return article


def endpoint_for_member(member: Member, endpoint_id: UUID | str) -> ModelEndpoint:
    """A model endpoint that was not deleted, for a member who may manage them."""
    rows = ModelEndpoint.objects.filter(deleted_at__isnull=True)
    endpoint = rows.filter(pk=parse_id(endpoint_id)).first()
    if endpoint is None or not may(member, Permission.ENDPOINTS):
        raise NotFound
    return endpoint


def draft_for_member(member: Member, draft_id: UUID | str) -> ReplyDraft:
    """A draft in a conversation that the member may read, whether it is still open or not."""
    draft = ReplyDraft.objects.filter(pk=parse_id(draft_id)).first()
    if draft is None:
        raise NotFound
    conversation_for_member(member, draft.conversation_id)
    return draft


def profile_for_member(member: Member, profile_id: UUID | str) -> AgentProfile:
    """A version of the agent with its endpoint, for a member who may set the agent up."""
    rows = AgentProfile.objects.select_related("endpoint").filter(published_at__isnull=False)
    profile = rows.filter(pk=parse_id(profile_id)).first()
    if profile is None or not may(member, Permission.AGENT_SETTINGS):
        raise NotFound
    return profile


def http_tool_for_member(member: Member, tool_id: UUID | str) -> HttpTool:
    """A tool by configuration, for a member who may set the agent up."""
    tool = HttpTool.objects.filter(pk=parse_id(tool_id)).first()
    if tool is None or not may(member, Permission.AGENT_SETTINGS):
        raise NotFound
    return tool


def mcp_server_for_member(member: Member, server_id: UUID | str) -> McpServer:
    """An MCP server, for a member who may set the agent up."""
    server = McpServer.objects.filter(pk=parse_id(server_id)).first()
    if server is None or not may(member, Permission.AGENT_SETTINGS):
        raise NotFound
    return server


def specialist_for_member(member: Member, specialist_id: UUID | str) -> Specialist:
    """Any version of a specialist with its endpoint, for a member who may set the agent up."""
    rows = Specialist.objects.select_related("endpoint").defer("endpoint__key_encrypted")
    row = rows.filter(pk=parse_id(specialist_id)).first()
    if row is None or not may(member, Permission.AGENT_SETTINGS):
        raise NotFound
    return row
