"""Small files: what no longer fits in a head is split before it is merged."""

from tests.architecture.code import APPS, ROOT, name_of, python_files

PYTHON_LINES, TEMPLATE_LINES = 400, 200
FOLDERS = (*APPS, "devstack", "tests", "bench")


def test_no_python_file_is_too_long():
    long = [name_of(path) for path in python_files(*FOLDERS) if _lines(path) > PYTHON_LINES]
    assert long == [], f"Split what is longer than {PYTHON_LINES} lines."


def test_no_template_is_too_long():
    templates = [*(ROOT / "templates").rglob("*.*"), *ROOT.glob("*/templates/**/*.*")]
    long = [name_of(path) for path in templates if path.is_file() and _lines(path) > TEMPLATE_LINES]
    assert long == [], f"Split what is longer than {TEMPLATE_LINES} lines."


def _lines(path) -> int:
    return len(path.read_text().splitlines())
