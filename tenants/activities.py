"""Why this app keeps what it holds of people, and where else than in tables."""

from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session

from tenants.models import AuditEntry, StaffVisit
from tenants.processing import Medium, Place, register_activity, register_place

ACCESS = register_activity(
    "Access of teammates",
    app="tenants",
    why="Contract: whoever works in the desk signs in and has a role.",
    whose="Teammates",
    kept="Until the place in the team ends; invitations until taken back or by retention.",
)
SESSIONS = register_activity(
    "Login sessions",
    app="sessions",
    why="Contract: a teammate stays signed in for a working day.",
    whose="Teammates",
    kept="12 hours at most.",
    tables=[Session],
)
ACCOUNTABILITY = register_activity(
    "Accountability",
    app="tenants",
    why="Legal duty: to show who did what with people's data (GDPR 5(2), 30, 32).",
    whose="Teammates by id; customers by pseudonym; platform staff by id",
    kept="As long as the workspace exists, and a term after its end (see the runbook).",
    tables=[AuditEntry, LogEntry, StaffVisit],
)

register_place(
    Place(
        "Counters of tries",
        Medium.KEY,
        ("rate:*",),
        ACCESS,
        "How often an address has tried something, under a hash of it.",
        "Nobody needs to: each counter ends by itself.",
        "15 minutes at most.",
    )
)
register_place(
    Place(
        "Sign of life of the background work",
        Medium.KEY,
        ("desk:sweep",),
        ACCESS,
        "Nothing of people.",
        "Nobody needs to: it ends by itself.",
        "30 seconds.",
    )
)
register_place(
    Place(
        "Signals to background workers",
        Medium.KEY,
        ("turns", "bulk", "sweep", "_kombu.binding*", "unacked*", "celery*"),
        ACCESS,
        "Ids and kinds of work that is due.",
        "The background worker that takes them; erasure of the customer takes the rest.",
        "Until a worker takes them.",
    )
)
register_place(
    Place(
        "Logs of the desk",
        Medium.LOG,
        ("log/*.log",),
        ACCOUNTABILITY,
        "Ids, codes and times; words, names and addresses are dropped as they are written.",
        "The operator rotates them; what is personal is dropped as it is written.",
        "14 days at most.",
    )
)
