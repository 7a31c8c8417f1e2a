"""Where to click, from what the seed wrote down."""

from typing import Any

WIDTH = 78


def render(about: dict[str, Any]) -> str:
    """A panel for the terminal: the pages of each tenant, and who can sign in."""
    url = about["url"].rstrip("/")
    lines = ["", "─" * WIDTH, f"  Turnstone is ready: {url}/", ""]
    if about["tenants"]:
        lines += [f"  A customer's view   {url}/demo/shop/", ""]
    for tenant in about["tenants"]:
        lines += _tenant(url, tenant)
    lines += ["  Stop with Ctrl-C. All data stays in the data folder.", "─" * WIDTH, ""]
    return "\n".join(lines)


def _tenant(url: str, tenant: dict[str, Any]) -> list[str]:
    lines = [f"  {tenant['name']}   {url}/t/{tenant['slug']}/"]
    widest = max((len(member["email"]) for member in tenant["members"]), default=0)
    for member in tenant["members"]:
        role = str(member["role"]).replace("_", " ")
        lines.append(f"    {role:<16} {member['email']:<{widest}}  {member['password']}")
    return [*lines, ""]
