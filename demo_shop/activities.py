"""Why the demo's shop keeps what it holds of people."""

from tenants.processing import register_activity

register_activity(
    "Orders of the demo's shop",
    app="demo_shop",
    why="It plays a system of the tenant's own; its people are made up.",
    whose="Fictional customers of the demo",
    kept="As long as the demo's data folder.",
)
