"""How a customer words a wish that one of the shop's tools fulfils.

For the offline client alone, which is no language model: a real model reads the tools'
descriptions. Only a plain wish with everything in it is understood.
"""

import re
from typing import Any

_REFUND = re.compile(r"\brefund\b\D{0,20}?(?P<amount>\d{1,5}(?:\.\d{1,2})?)\b", re.IGNORECASE)
_LOOK_UP = re.compile(r"\b(where|status|track|look up|when)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\border\s*(?:no\.?|number)?\s*#?(?P<order>\d{4})\b", re.IGNORECASE)


def wants_refund(asked: str) -> dict[str, Any] | None:
    """Refund 20 for order 1001, please."""
    order = _NUMBER.search(asked)
    amount = _REFUND.search(_NUMBER.sub(" ", asked))
    if order is None or amount is None:
        return None
    reason = " ".join(asked.split())[:300]
    return {"order": order["order"], "amount": float(amount["amount"]), "reason": reason}


def wants_look_up(asked: str) -> dict[str, Any] | None:
    """Where is order 1001?"""
    order = _NUMBER.search(asked)
    return {"order": order["order"]} if order and _LOOK_UP.search(asked) else None
