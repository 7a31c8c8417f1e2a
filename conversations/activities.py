"""Why this app keeps what it holds of people, and where else than in tables."""

from tenants.processing import Medium, Place, register_activity, register_place

ANSWERING = register_activity(
    "Answering customers",
    app="conversations",
    why="Contract or steps before one, at the customer's request (GDPR 6(1)(b)).",
    whose="Customers; teammates as authors",
    kept="As the retention policies of this workspace say; longer under a legal hold.",
)

register_place(
    Place(
        "Live events of conversations",
        Medium.CHANNEL,
        ("talk:*",),
        ANSWERING,
        "Parts of an answer while it is written, and that somebody types.",
        "Nobody needs to: they are never stored.",
        "Not at all: whoever does not listen misses them.",
    )
)
register_place(
    Place(
        "Live events of inboxes",
        Medium.CHANNEL,
        ("live:*",),
        ANSWERING,
        "Ids of conversations that changed.",
        "Nobody needs to: they are never stored.",
        "Not at all.",
    )
)
register_place(
    Place(
        "The widget in the customer's browser",
        Medium.BROWSER,
        (),
        ANSWERING,
        "The token of the session, and unsent words.",
        "The customer, by clearing the website's data; the session ends with the erasure.",
        "Until the session expires.",
    )
)
register_place(
    Place(
        "E-mails waiting to be sent",
        Medium.FILE,
        ("mail/*",),
        ANSWERING,
        "Letters that ask to confirm a request, and letters to officers that one is due, without a"
        " word of whom it is about; only in the demo, elsewhere they are sent.",
        "Erasure of the customer; otherwise they are gone when they are sent.",
        "Until they are sent.",
    )
)
