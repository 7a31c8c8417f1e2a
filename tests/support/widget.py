"""A customer's browser, as far as the widget API sees it."""

import time
from typing import Any
from uuid import uuid4

import jwt

from tests.support.cast import Company
from tests.support.contract import ContractClient

API = "/widget/v1"


class Widget:
    """Calls the widget API of one company with one session."""

    def __init__(self, company: Company, *, origin: str | None = None) -> None:
        self.company = company
        self.client = ContractClient()
        self.headers: dict[str, str] = {"Origin": origin} if origin else {}
        self.token = ""

    def start(self, *, identity: str | None = None, resume: bool = True):
        """POST sessions; keeps the token that comes back."""
        if not resume:
            self.headers.pop("Authorization", None)
        body = {"key": self.company.widget_key.key}
        answer = self.post("sessions", body if identity is None else body | {"identity": identity})
        if answer.status_code < 300:
            self.token = answer.json()["token"]
            self.headers["Authorization"] = f"Bearer {self.token}"
        return answer

    def say(self, text: str = "Hello", *, where: str = "", key: Any = None):
        """Post a message into the conversation `where`, or into a new one."""
        address = f"conversations/{where}/messages" if where else "conversations"
        return self.post(address, {"client_key": str(key or uuid4()), "text": text})

    def talk(self, text: str = "Hello") -> str:
        """A new conversation; its id."""
        answer = self.say(text)
        assert answer.status_code == 201, answer.content
        return str(answer.json()["conversation"]["id"])

    def post(self, address: str, body: Any, **options: Any):
        return self.client.post(
            f"{API}/{address}",
            body,
            content_type=options.pop("content_type", "application/json"),
            headers=self.headers | options.pop("headers", {}),
        )

    def get(self, address: str, **options: Any):
        return self.client.get(f"{API}/{address}", headers=self.headers, query_params=options)


def signed(company: Company, subject: str | None = "ada-1", **claims: Any) -> str:
    """An identity as the company's own server signs it; None removes a claim."""
    now = int(time.time())
    all_claims = {"sub": subject, "iat": now, "exp": now + 600} | claims
    kept = {name: value for name, value in all_claims.items() if value is not None}
    return jwt.encode(kept, company.identity_secret, algorithm="HS256")
