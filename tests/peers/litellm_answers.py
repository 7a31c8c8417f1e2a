"""What LiteLLM's proxy answers: runs in its environment, and knows nothing of ours.

Only the words are ours. Protocols, streams and the translation of tools are LiteLLM's.
"""

import json

from litellm import CustomLLM

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class Answers(CustomLLM):
    """Calls the first tool once for each line of the customer, then says what it returned."""

    async def astreaming(self, *_, **asked):
        messages = asked["messages"]
        tools = asked["optional_params"].get("tools")
        last = messages[-1]
        if tools and last["role"] == "user":
            call = {
                "name": tools[0]["function"]["name"],
                "arguments": json.dumps({"query": "What are your opening hours?"}),
            }
            yield _chunk(
                tool={
                    "id": f"call_{len(messages)}",
                    "type": "function",
                    "index": 0,
                    "function": call,
                }
            )
            return
        words = f"Of {len(messages)} lines: {_text(last['content'])}".split(" ")
        for word in words[:-1]:
            yield _chunk(f"{word} ")
        yield _chunk(words[-1], last=True)


def _text(content):
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content or [])


def _chunk(text="", *, tool=None, last=False):
    ends = last or tool is not None
    return {
        "text": text,
        "tool_use": tool,
        "is_finished": ends,
        "finish_reason": ("tool_calls" if tool else "stop") if ends else "",
        "usage": USAGE if ends else None,
        "index": 0,
    }


answers = Answers()
