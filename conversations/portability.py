"""How this app's tables travel."""

from conversations.models import (
    Attachment,
    AttachmentBody,
    CannedReply,
    Certificate,
    Conversation,
    ConversationLabel,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Draft,
    ErasureRequest,
    Event,
    ExportPart,
    ExportRequest,
    FunnelStage,
    Label,
    LegalHold,
    Message,
    MessageEdit,
    Note,
    Rating,
    RedactionNotice,
    RedactionTarget,
    RetentionPolicy,
    RetentionRound,
    RetentionRun,
    Summary,
    TenantEnd,
    Tombstone,
    WidgetToken,
)
from conversations.services.lifecycle import SNOOZE
from tenants import due
from tenants.portable import Ids, Values, stays, travels


def _talk_arrives(values: Values, _: Ids) -> Values:
    """No turn of the agent travels on, so no decision is waited for."""
    return values | {"approval_pending": False}


def _talk_is_here(talk: Conversation) -> None:
    if talk.snoozed_until is not None:
        due.schedule(SNOOZE, talk.id, at=talk.snoozed_until)


def _policy_arrives(values: Values, _: Ids) -> Values:
    """What was in force elsewhere waits here as a new one does; see `retention.adopt`."""
    ended = values["state"] == RetentionPolicy.State.ENDED
    return values if ended else values | {"state": RetentionPolicy.State.WAITING}


# When rows end is reckoned where they are, by the policies that are in force there.
ENDS = ("expires_at", "expires_by")

travels(
    Conversation,
    within="id",
    arriving=_talk_arrives,
    arrived=_talk_is_here,
    without=["erased_at", *ENDS],
)
travels(Message, within="conversation_id", ids_in=["sources"], not_ids=["client_key"])
travels(Attachment, within="conversation_id", without=ENDS)
travels(MessageEdit, within="conversation_id")
travels(Note, within="conversation_id", not_ids=["client_key"], without=ENDS)
travels(Event, within="conversation_id", ids_in=["detail"])
travels(Draft, within="conversation_id", without=ENDS)
travels(Summary, within="conversation_id")
travels(Rating, within="conversation_id")
travels(ConversationLabel, within="conversation_id")
travels(Customer, without=["erased_at", *ENDS])
travels(CustomerIdentity, of=lambda rows: rows.filter(customer__in=Customer.objects.values("pk")))
travels(
    CustomerMerge,
    of=lambda rows: rows.filter(
        source__in=Customer.objects.values("pk"), target__in=Customer.objects.values("pk")
    ),
)
travels(FunnelStage)
travels(Label)
travels(CannedReply)
travels(LegalHold)
travels(RetentionPolicy, arriving=_policy_arrives)
travels(RetentionRun, arrives=False)
travels(Certificate, arrives=False)
travels(ErasureRequest, without=["token_hash", "sealed"], arrives=False)
travels(Tombstone, arrives=False)
travels(RedactionTarget, without=["secret"], arrives=False)
stays(AttachmentBody, "Not as rows: the folders files and previews hold them as files.")
stays(RetentionRound, "The place of a round that runs here.")
stays(RedactionNotice, "Sealed for whom it was meant.")
stays(WidgetToken, "Sessions of customers; they begin anew.")
stays(ExportRequest, "Copies, this one among them.")
stays(ExportPart, "Copies, this one among them.")
stays(TenantEnd, "The end of this workspace, here.")
