"""`manage.py seed_demo --url URL --out FILE`: fills the demo and writes what opens it."""

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from demo_shop.services.seed import PLANS, seed


class Command(BaseCommand):
    help = "Makes the demo's two tenants unless they are there; writes addresses and passwords."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", required=True)
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *_: Any, **options: Any) -> None:
        tenants = []
        for plan in PLANS:
            self.stdout.write(f"{plan.name} …")
            tenants.append(seed(plan))
        about = {"url": options["url"], "tenants": tenants}
        out: Path = options["out"]
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(about, file, ensure_ascii=False, indent=2)
