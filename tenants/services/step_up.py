"""Making sure of a member once more, right before an act that a stolen session must not do."""

from tenants.errors import InvalidInput
from tenants.models import User
from tenants.rates import check_rate, forget_rate

TRIES, SECONDS = 5, 15 * 60


class WrongPassword(InvalidInput):
    """Whoever sits at this computer may not be who signed in."""

    code = "wrong_password"
    title = "This was not your password"

    def __init__(self) -> None:
        words = "This is not your password. Try again, or sign out and in to be sure."
        super().__init__(words, errors={"password": [words]})


def confirm_password(user: User, *, password: str) -> None:
    """Raises `WrongPassword`, or `TooManyRequests` after five tries."""
    check_rate("step_up", str(user.id), limit=TRIES, seconds=SECONDS)
    if not user.check_password(password):
        raise WrongPassword
    forget_rate("step_up", str(user.id))
