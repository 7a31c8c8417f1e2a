"""Run as a process of its own: goes on with a conversation that another process began."""

import json
import sys
from uuid import UUID

import django

django.setup()

from agents.runtime.runner import run_turn  # noqa: E402 - after the setup
from agents.services.contract import ClaimedTurn  # noqa: E402 - after the setup
from tests.support.scripted import Say, ScriptedChatClient  # noqa: E402 - after the setup
from tests.support.talks import Recorder  # noqa: E402 - after the setup

values = json.loads(sys.argv[1])
for name in ("tenant_id", "turn_id", "conversation_id"):
    values[name] = UUID(values[name])
client = ScriptedChatClient(Say(text="elsewhere"))
run_turn(ClaimedTurn(**values), calls=[], client=client.opened, desk=Recorder().desk)
sys.stdout.write(json.dumps([[m.role, m.text] for m in client.requests[0].messages]))
