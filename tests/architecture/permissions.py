"""Role × address: what each page and operation needs, in one table. A new address goes in here.

The names are those of the URL maps. Whoever lacks the permission gets 403, whoever belongs to
another tenant 404, whoever is not signed in goes to the login (a page) or gets 401 (a program).
"""

from tenants.permissions import Permission

PAGES: dict[str, dict[str, Permission]] = {
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
}

# Operations of the member API.
MEMBER_API: dict[str, dict[str, Permission]] = {
    "conversations_api:conversations": {"GET": Permission.READ},
    "conversations_api:conversation": {"GET": Permission.READ, "PATCH": Permission.REPLY},
    "conversations_api:messages": {"GET": Permission.READ},
    "conversations_api:notes": {"GET": Permission.READ, "POST": Permission.REPLY},
    "conversations_api:events": {"GET": Permission.READ},
    "conversations_api:replies": {"POST": Permission.REPLY},
    "conversations_api:take-over": {"POST": Permission.REPLY},
    "conversations_api:hand-back": {"POST": Permission.REPLY},
    "conversations_api:resolve": {"POST": Permission.REPLY},
    "conversations_api:reopen": {"POST": Permission.REPLY},
    "conversations_api:snooze": {"POST": Permission.REPLY},
    "conversations_api:stream": {"GET": Permission.READ},
    "conversations_api:inbox-stream": {"GET": Permission.READ},
    "conversations_api:message": {"PATCH": Permission.REPLY},
    "conversations_api:redact": {"POST": Permission.REPLY},
    "conversations_api:customers": {"GET": Permission.READ},
    "conversations_api:customer": {"GET": Permission.READ},
}
