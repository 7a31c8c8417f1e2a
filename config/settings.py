"""All settings, read from the environment; checks.py refuses what is not safe."""

from pathlib import Path
from urllib.parse import quote, urlsplit

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DEBUG = env.bool("TURNSTONE_DEBUG", default=False)
SECRET_KEY = env.str("TURNSTONE_SECRET_KEY", default="")
# Encrypts keys and secrets at rest; several, comma-separated, for rotation: the first one writes.
ENCRYPTION_KEYS = env.list("TURNSTONE_ENCRYPTION_KEYS", default=[])
ALLOWED_HOSTS = env.list("TURNSTONE_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("TURNSTONE_TRUSTED_ORIGINS", default=[])
# The demo: plain HTTP on loopback, the demo shop, printed passwords. Never in production.
DEMO = env.bool("TURNSTONE_DEMO", default=False)
HTTPS = env.bool("TURNSTONE_HTTPS", default=not DEMO)
# "web" publishes with short timeouts; "worker" holds lasting connections.
PROCESS = env.str("TURNSTONE_PROCESS", default="worker")

INSTALLED_APPS = [
    "unfold",
    # Not autodiscovered: the staff site has an instance of its own, with its own gate.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "tenants",
    "conversations",
    "agents",
    "config.apps.DeskConfig",
]
# Modules whose tools tenants' agents may be given.
AGENT_TOOL_MODULES: list[str] = []
if DEMO:
    INSTALLED_APPS.append("demo_shop")
    AGENT_TOOL_MODULES.append("demo_shop.tools")

MIDDLEWARE = [
    "config.middleware.Traced",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.SecurityHeaders",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.page",
                "tenants.gates.context.member_page",
            ]
        },
    }
]

# Database: `desk_app` runs everything; `desk_owner` migrates and nothing else.
_ROLE = env.str("TURNSTONE_DB_ROLE", default="app")
_DATABASE_URL = "OWNER_DATABASE_URL" if _ROLE == "owner" else "DATABASE_URL"
DATABASES = {"default": env.db(_DATABASE_URL, default="postgres:///desk")}
DATABASES["default"]["ENGINE"] = "django.db.backends.postgresql"
# For the cursors of tenants/prepared.py alone: the ORM binds on the client and prepares nothing. A
# pooler between here and PostgreSQL that knows no prepared statements needs it switched off.
_PREPARED = env.bool("TURNSTONE_DB_PREPARED", default=True)
DATABASES["default"].setdefault("OPTIONS", {})["prepare_threshold"] = 5 if _PREPARED else None
if PROCESS == "web":
    # Under ASGI each request runs in a thread of its own: without a pool each would connect anew.
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 2,
        "max_size": env.int("TURNSTONE_DB_POOL", default=20),
        "timeout": 5,
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Role `desk_backup`: reads past row security, for the scanner that proves an erasure. Without it
# nothing is certified.
BACKUP_DATABASE_URL = env.str("BACKUP_DATABASE_URL", default="")

# Redis: the broker, and the passing events of streams; two URLs in production if wanted.
REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
LIVE_REDIS_URL = env.str("TURNSTONE_LIVE_REDIS_URL", default=REDIS_URL)


def _broker_url(url: str) -> str:
    """Celery's spelling of a Redis URL: `unix://` is `redis+socket://` there."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    number = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair).get(
        "db", "0"
    )
    return f"redis+socket://{quote(parts.path)}?virtual_host={number}"


BROKER_URL = _broker_url(REDIS_URL)

# Turns: see docs/runs.md.
TURN_LEASE_SECONDS = env.float("TURNSTONE_TURN_LEASE_SECONDS", default=30)
TURN_HEARTBEAT_SECONDS = env.float("TURNSTONE_TURN_HEARTBEAT_SECONDS", default=5)
TURN_DEADLINE_SECONDS = env.int("TURNSTONE_TURN_DEADLINE_SECONDS", default=900)
TURN_MAX_ATTEMPTS = env.int("TURNSTONE_TURN_MAX_ATTEMPTS", default=3)
TURN_RETRY_BASE_SECONDS = env.float("TURNSTONE_TURN_RETRY_BASE_SECONDS", default=2)
SWEEP_SECONDS = env.float("TURNSTONE_SWEEP_SECONDS", default=2)

# How long anything is kept at most, in days by kind ("messages=3650,notes=730"), whatever a tenant
# says; a kind that is not named has no maximum.
RETENTION_MAXIMUM_DAYS: dict[str, int] = env.dict(
    "TURNSTONE_RETENTION_MAXIMUM_DAYS", cast={"value": int}, default={}
)
# Tokenizers that versions of agents may choose beside the two of the desk, each a function from
# text to a number: "name=dotted.path,…".
TOKENIZERS: dict[str, str] = env.dict("TURNSTONE_TOKENIZERS", default={})

# How long the audit record of a tenant outlives the tenant; then `forget_audit` deletes it.
AUDIT_DAYS_AFTER_END = env.int("TURNSTONE_AUDIT_DAYS_AFTER_END", default=3 * 365)

# People.
AUTH_USER_MODEL = "tenants.User"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

# Cookies and transport.
SESSION_COOKIE_NAME = "__Host-desk" if HTTPS else "desk"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_SAVE_EVERY_REQUEST = False
CSRF_FAILURE_VIEW = "tenants.gates.problems.csrf_failed"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "csrf"
SECURE_SSL_REDIRECT = HTTPS and env.bool("TURNSTONE_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https")
    if env.bool("TURNSTONE_BEHIND_PROXY", default=False)
    else None
)
SECURE_REFERRER_POLICY = "no-referrer"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

# Language and time.
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("es", "Español"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("pt", "Português"),
    ("ar", "العربية"),
]
TIME_ZONE = "UTC"
USE_I18N = USE_TZ = True

# Files.
STATIC_URL = "/static/"
STATIC_ROOT = env.path("TURNSTONE_STATIC_ROOT", default=BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEMO or DEBUG
WHITENOISE_AUTOREFRESH = DEBUG

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["tenants.gates.bodies.StrictJsonParser"],
    "EXCEPTION_HANDLER": "tenants.gates.problems.problem_response",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Turnstone",
    "DESCRIPTION": "The widget API for customers and the member API for programs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "OAS_VERSION": "3.1.0",
    # Without drf-spectacular's own hook: it names every list of choices, and two are alike.
    "POSTPROCESSING_HOOKS": ["conversations.openapi.add_streams"],
}

# Where the desk's processes write files (logs, exports, queued mail): the scanner reads it all.
DATA_FOLDER = env.str("TURNSTONE_DATA", default="")
# Who was erased, as pseudonyms, outside of the database: applied again after a restore. Keep it
# with the backups, never only inside them.
ERASURE_LIST = env.str(
    "TURNSTONE_ERASURE_LIST", default=str(Path(DATA_FOLDER or BASE_DIR / "var") / "erasures.jsonl")
)

# Mail: files in the demo's folder; elsewhere by `EMAIL_URL` (smtp+tls://user:password@host:587).
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
EMAIL_FILE_PATH = str(Path(DATA_FOLDER) / "mail") if DEMO and DATA_FOLDER else ""
if EMAIL_FILE_PATH:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
# An erasure whose worker died is taken up by another after so many seconds.
ERASURE_LEASE_SECONDS = env.float("TURNSTONE_ERASURE_LEASE_SECONDS", default=60)

# Where people reach the desk: links in mails begin with it.
PUBLIC_URL = env.str("TURNSTONE_PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
DEFAULT_FROM_EMAIL = env.str("TURNSTONE_FROM_EMAIL", default="desk@localhost")

# Floors of the rates, a minute: messages a customer, sessions an address.
RATE_MESSAGES = env.int("TURNSTONE_RATE_MESSAGES", default=60)
RATE_SESSIONS = env.int("TURNSTONE_RATE_SESSIONS", default=300)

# Framing is refused by the Content-Security-Policy of config/middleware.py, for each page its own.
SILENCED_SYSTEM_CHECKS = ["security.W002"]

# Traces over OTLP/HTTP, to the whole address of a collector's traces; off without one.
OTEL_ENDPOINT = env.str("TURNSTONE_OTEL_ENDPOINT", default="")
OTEL_HEADERS = env.dict("TURNSTONE_OTEL_HEADERS", default={})
OTEL_SAMPLE = env.float("TURNSTONE_OTEL_SAMPLE", default=1.0)
# Messages, arguments and results in traces: whoever reads traces then reads conversations.
OTEL_CONTENT = env.bool("TURNSTONE_OTEL_CONTENT", default=False)
# Whoever shows it may read /metrics; without one there are no metrics.
METRICS_TOKEN = env.str("TURNSTONE_METRICS_TOKEN", default="")

LOGGING_CONFIG = "config.logs.configure"
LOGGING = {"level": env.str("TURNSTONE_LOG_LEVEL", default="INFO")}
