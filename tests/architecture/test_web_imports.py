"""What a web process does not load before somebody needs it: it costs memory in each of them."""

import subprocess
import sys

CODE = """
import sys, django
django.setup()
import config.urls
print([name for name in ("agent_framework", "openai", "httpx2") if name in sys.modules])
"""


def test_pages_load_no_model_client():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]", "Import agents.runtime inside the view that needs it."
