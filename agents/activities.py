"""Why this app keeps what it holds of people, and where else than in tables."""

from tenants.processing import Medium, Place, register_activity, register_place

AGENT = register_activity(
    "Answers of the AI agent",
    app="agents",
    why="Contract: the agent answers in the workspace's name, and each answer can be explained.",
    whose="Customers; the model's provider receives what is needed for the answer",
    kept="With their conversation; usage stays as counts that belong to nobody.",
)

register_place(
    Place(
        "Word to a worker to stop",
        Medium.CHANNEL,
        ("turn:*",),
        AGENT,
        "The id of a turn.",
        "Nobody needs to: it is never stored.",
        "Not at all.",
    )
)
