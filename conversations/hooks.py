"""The only ways in which an app above joins in. Signals run inside the sender's transaction."""

from django.dispatch import Signal

# The customer's lines of one post are stored. Arguments: conversation, message.
customer_message_posted = Signal()

# Who answers has changed, or the talk ended. Arguments: conversation, cause (an Event.Kind).
handler_changed = Signal()
