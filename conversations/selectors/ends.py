"""The end of the open scope's tenant."""

from conversations.models import Certificate, TenantEnd


def current_end() -> TenantEnd | None:
    """The order that waits or runs, if there is one."""
    states = [TenantEnd.State.WAITING, TenantEnd.State.RUNNING]
    return TenantEnd.objects.filter(state__in=states).first()


def certificate_of_end() -> Certificate | None:
    """The proof, once everything is deleted."""
    kind = Certificate.Kind.TENANT_END
    return Certificate.objects.filter(kind=kind).order_by("created_at").last()
