"""What is asked of the model after an answer, and when: one kind of due work for each question."""

from uuid import UUID

from agents.models import AgentProfile, OneShot, SumsUp
from agents.services.profiles import current_profile
from conversations.models import Author, Conversation, FunnelStage
from conversations.services import insights
from tenants import due
from tenants.due import Work

# Made true by every turn that ends and every change of words; its handler decides what is wanted.
INSIGHTS = due.kind("insights", queue="bulk")
SUMMARY = due.kind("summary", queue="bulk")
# By what they are called in a profile.
ONE_SHOTS = {shot.value: due.kind(shot.value, queue="bulk") for shot in OneShot}
# After the last line: who writes three in a row is thought about once, and no answer waits for it.
QUIET_SECONDS = 1.0
# Longer than any call of a model may take: so long nobody else does the same.
HELD_SECONDS = 150.0


def think_again(conversation_id: UUID) -> None:
    """Makes due, in the caller's transaction, that what is known of the talk is looked at anew."""
    due.schedule(INSIGHTS, conversation_id, after=QUIET_SECONDS)


def plan(work: Work) -> None:
    """Makes due what the published version wants to know and what is not known yet."""
    with work.scope():
        conversation = Conversation.objects.filter(pk=work.ref_id).first()
        profile = current_profile()
        if conversation is not None and profile is not None:
            for kind in _wanted(conversation, profile):
                due.schedule(kind, conversation.id)
        work.done()


def _wanted(conversation: Conversation, profile: AgentProfile) -> list[str]:
    kinds = [ONE_SHOTS[name] for name in profile.one_shots if is_wanted(name, conversation)]
    unread = conversation.last_seq - conversation.summary_seq
    # `seq` counts notes and events too, so this says yes too often and never too seldom; a budget
    # of tokens may be used up by few lines.
    if profile.sums_up == SumsUp.AFTER and unread > 1:
        kinds.append(SUMMARY)
    return kinds


def is_wanted(name: str, conversation: Conversation) -> bool:
    """Whether the answer could be anything new."""
    if name == OneShot.TITLE:
        return not conversation.title
    if name == OneShot.STAGE and (
        conversation.stage_by == Author.MEMBER or not FunnelStage.objects.exists()
    ):
        return False
    if name not in (insights.STAGE, insights.TRIAGE, insights.FACTS):
        return False
    return bool(conversation.customer_seq > conversation.insight_seqs.get(name, 0))
