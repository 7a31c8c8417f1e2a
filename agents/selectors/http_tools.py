"""A tenant's tools by configuration, as the web admin lists them."""

from agents.models import HttpTool


def http_tools() -> list[HttpTool]:
    """All of them by name; whether headers are stored is read, the headers are not used."""
    return list(HttpTool.objects.order_by("name"))
