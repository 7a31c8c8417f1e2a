"""Structured logs: key-value events with ids, never with words of people."""

import logging
import logging.config
from collections.abc import MutableMapping
from typing import Any

import structlog

# Dropped from every event, whoever logs it: what a person wrote, and what opens a door.
NEVER_LOGGED = frozenset(
    {"text", "body", "email", "name", "token", "secret", "password", "authorization", "arguments"}
)


def _drop_private(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for key in NEVER_LOGGED & event.keys():
        del event[key]
    return event


class NoDetail(logging.Filter):
    """Cuts the DETAIL of database errors: it repeats the row's values."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if "DETAIL:" in message:
            record.msg, record.args = message.split("DETAIL:")[0].rstrip(), ()
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = _traceback_without_detail(record)
        return True


def _traceback_without_detail(record: logging.LogRecord) -> str:
    assert record.exc_info is not None  # noqa: S101 - the caller has looked
    text = logging.Formatter().formatException(record.exc_info)
    return "\n".join(line for line in text.splitlines() if not line.startswith("DETAIL:"))


def configure(options: dict[str, Any]) -> None:
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _drop_private,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.LogfmtRenderer(sort_keys=False, bool_as_flag=False),
        ],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"no_detail": {"()": NoDetail}},
            "formatters": {"logfmt": formatter},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "logfmt",
                    "filters": ["no_detail"],
                }
            },
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": {
                "uvicorn.access": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "httpx": {"level": "WARNING"},
                "httpx2": {"level": "WARNING"},
                # It tells which letters stand in a print.
                "fontTools": {"level": "WARNING"},
            },
        }
    )
