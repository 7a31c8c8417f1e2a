"""Role × address: what each page and operation needs, in one table. A new address goes in here.

The names are those of the URL maps. Whoever lacks the permission gets 403, whoever belongs to
another tenant 404, whoever is not signed in goes to the login (a page) or gets 401 (a program).
"""

from tenants.permissions import Permission

_READ = {"GET": Permission.READ}
_ACT = {"POST": Permission.REPLY}

_TEAM_PAGES: dict[str, dict[str, Permission]] = {
    "tenants:members": {"GET": Permission.MEMBERS},
    "tenants:invite": {"GET": Permission.MEMBERS, "POST": Permission.MEMBERS},
    "tenants:change-role": {"GET": Permission.MEMBERS, "POST": Permission.MEMBERS},
    "tenants:remove-member": {"POST": Permission.MEMBERS},
    "tenants:take-back-invitation": {"POST": Permission.MEMBERS},
    "tenants:widget-keys": {"GET": Permission.KEYS},
    "tenants:add-widget-key": {"GET": Permission.KEYS, "POST": Permission.KEYS},
    "tenants:widget-key": {"GET": Permission.KEYS, "POST": Permission.KEYS},
    "tenants:rotate-secret": {"POST": Permission.KEYS},
    "tenants:api-keys": {"GET": Permission.KEYS},
    "tenants:add-api-key": {"GET": Permission.KEYS, "POST": Permission.KEYS},
    "tenants:revoke-api-key": {"POST": Permission.KEYS},
    "tenants:audit": {"GET": Permission.AUDIT},
    "tenants:export-audit": {"GET": Permission.AUDIT},
    "tenants:settings": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
}

_CONVERSATION_PAGES: dict[str, dict[str, Permission]] = {
    "conversations:inbox": _READ,
    "conversations:thread": _READ,
    "conversations:lines": _READ,
    "conversations:header": _READ,
    "conversations:composer": _READ,
    "conversations:details": _READ,
    "conversations:say": _ACT,
    "conversations:take-over": _ACT,
    "conversations:hand-back": _ACT,
    "conversations:resolve": _ACT,
    "conversations:reopen": _ACT,
    "conversations:snooze": _ACT,
    "conversations:title": _ACT,
    "conversations:stage": _ACT,
    "conversations:assign": _ACT,
    "conversations:labels": _ACT,
    "conversations:mode": _ACT,
    "conversations:message": _READ,
    "conversations:message-history": _READ,
    "conversations:edit-message": {"GET": Permission.REPLY, "POST": Permission.REPLY},
    "conversations:redact-message": _ACT,
    "conversations:fork": _ACT,
}

_PRIVACY_PAGES: dict[str, dict[str, Permission]] = {
    "conversations:privacy": {"GET": Permission.PRIVACY},
}

_AGENT_PAGES: dict[str, dict[str, Permission]] = {
    "agents:articles": {"GET": Permission.KNOWLEDGE},
    "agents:knowledge-search": {"GET": Permission.KNOWLEDGE},
    "agents:add-article": {"GET": Permission.KNOWLEDGE, "POST": Permission.KNOWLEDGE},
    "agents:article": {"GET": Permission.KNOWLEDGE, "POST": Permission.KNOWLEDGE},
    "agents:preview-article": {"POST": Permission.KNOWLEDGE},
    "agents:delete-article": {"POST": Permission.KNOWLEDGE},
    "agents:turns": _READ,
    "agents:retry-turn": _ACT,
    "agents:turn-seen": _READ,
    "agents:compare-turn": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:regenerate-turn": _ACT,
    "agents:draft": _READ,
    "agents:ask-draft": _ACT,
    "agents:send-draft": _ACT,
    "agents:discard-reply-draft": _ACT,
    "agents:approvals": {"GET": Permission.APPROVE},
    "agents:pending-approvals": _READ,
    "agents:decide": {"POST": Permission.APPROVE},
    "agents:tools": {"GET": Permission.AGENT_SETTINGS},
    "agents:tool": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:usage": _READ,
    "agents:budget": {"GET": Permission.ENDPOINTS, "POST": Permission.ENDPOINTS},
    "agents:budget-notice": {"GET": Permission.ENDPOINTS},
    "agents:agent": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:discard-draft": {"POST": Permission.AGENT_SETTINGS},
    "agents:playground": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:agent-version": {"GET": Permission.AGENT_SETTINGS},
    "agents:republish-agent": {"POST": Permission.AGENT_SETTINGS},
    "agents:http-tools": {"GET": Permission.AGENT_SETTINGS},
    "agents:add-http-tool": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:http-tool": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:delete-http-tool": {"POST": Permission.AGENT_SETTINGS},
    "agents:mcp-servers": {"GET": Permission.AGENT_SETTINGS},
    "agents:add-mcp-server": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:mcp-server": {"GET": Permission.AGENT_SETTINGS, "POST": Permission.AGENT_SETTINGS},
    "agents:read-mcp-tools": {"POST": Permission.AGENT_SETTINGS},
    "agents:delete-mcp-server": {"POST": Permission.AGENT_SETTINGS},
    "agents:endpoints": {"GET": Permission.ENDPOINTS},
    "agents:add-endpoint": {"GET": Permission.ENDPOINTS, "POST": Permission.ENDPOINTS},
    "agents:endpoint": {"GET": Permission.ENDPOINTS, "POST": Permission.ENDPOINTS},
    "agents:test-endpoint": {"POST": Permission.ENDPOINTS},
    "agents:choose-endpoint": {"POST": Permission.ENDPOINTS},
}

_FORM = {"GET": Permission.REPLY, "POST": Permission.REPLY}
_EXPORT_FORM = {"GET": Permission.PRIVACY, "POST": Permission.PRIVACY}

_CUSTOMER_PAGES: dict[str, dict[str, Permission]] = {
    "conversations:customers": _READ,
    "conversations:customer": _READ,
    "conversations:merge-customer": _FORM,
    "conversations:split-customer": _FORM,
    "conversations:undo-merge": _ACT,
    "conversations:privacy-exports": {"GET": Permission.PRIVACY},
    "conversations:ask-export": _EXPORT_FORM,
    "conversations:ask-tenant-export": {"POST": Permission.PRIVACY},
    "conversations:privacy-export": {"GET": Permission.PRIVACY},
    "conversations:fetch-export": _EXPORT_FORM,
    "conversations:export-file": {"GET": Permission.PRIVACY},
    "conversations:withdraw-export": {"POST": Permission.PRIVACY},
    "conversations:end": {"GET": Permission.OWNERS},
    "conversations:close-tenant": {"GET": Permission.OWNERS, "POST": Permission.OWNERS},
    "conversations:order-end": {"GET": Permission.OWNERS, "POST": Permission.OWNERS},
    "conversations:take-back-end": {"POST": Permission.OWNERS},
    "conversations:reopen-tenant": {"POST": Permission.OWNERS},
}

PAGES = _CUSTOMER_PAGES | _TEAM_PAGES | _CONVERSATION_PAGES | _PRIVACY_PAGES | _AGENT_PAGES

# Operations of the member API.
MEMBER_API: dict[str, dict[str, Permission]] = {
    "tenants_api:audit": {"GET": Permission.AUDIT},
    "conversations_api:conversations": _READ,
    "conversations_api:conversation": _READ | {"PATCH": Permission.REPLY},
    "conversations_api:messages": _READ,
    "conversations_api:notes": _READ | _ACT,
    "conversations_api:events": _READ,
    "conversations_api:replies": _ACT,
    "conversations_api:take-over": _ACT,
    "conversations_api:hand-back": _ACT,
    "conversations_api:resolve": _ACT,
    "conversations_api:reopen": _ACT,
    "conversations_api:snooze": _ACT,
    "conversations_api:stream": _READ,
    "conversations_api:inbox-stream": _READ,
    "conversations_api:message": {"PATCH": Permission.REPLY},
    "conversations_api:redact": _ACT,
    "conversations_api:fork": _ACT,
    "conversations_api:customers": _READ,
    "conversations_api:customer": _READ,
    "conversations_api:merge": _ACT,
    "conversations_api:split": _ACT,
    "conversations_api:undo-merge": _ACT,
    "conversations_api:exports": {"GET": Permission.PRIVACY, "POST": Permission.PRIVACY},
    "conversations_api:export": {"GET": Permission.PRIVACY, "DELETE": Permission.PRIVACY},
    "conversations_api:export-file": {"POST": Permission.PRIVACY},
    "agents_api:turns": _READ,
    "agents_api:retry-turn": _ACT,
    "agents_api:regenerate-turn": _ACT,
    "agents_api:draft": _READ | _ACT,
    "agents_api:send-draft": _ACT,
    "agents_api:discard-draft": _ACT,
    "agents_api:usage": _READ,
    "agents_api:approvals": _READ,
    "agents_api:approve": {"POST": Permission.APPROVE},
    "agents_api:reject": {"POST": Permission.APPROVE},
    "agents_api:articles": _READ | {"POST": Permission.KNOWLEDGE},
    "agents_api:article": _READ | {"PUT": Permission.KNOWLEDGE, "DELETE": Permission.KNOWLEDGE},
    "agents_api:knowledge-search": _READ,
}
