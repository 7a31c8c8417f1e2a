"""Pages about conversations. The last word of a path is the view, the service and the test."""

from django.urls import path

from conversations.console import control_views as control
from conversations.console import customer_views as customers
from conversations.console import details_views as details
from conversations.console import edit_views as edit
from conversations.console import end_views as ends
from conversations.console import inbox_views as inbox
from conversations.console import privacy_certificate_views as certificates
from conversations.console import privacy_confirm_views as privacy_confirm
from conversations.console import privacy_desk_views as privacy_desk
from conversations.console import privacy_erasure_views as erasure
from conversations.console import privacy_export_views as exports
from conversations.console import privacy_hold_views as hold
from conversations.console import privacy_record_views as record
from conversations.console import privacy_retention_views as retention
from conversations.console import privacy_run_views as run_views
from conversations.console import thread_views as thread

app_name = "conversations"

# /t/<tenant>/conversations/<id>/
_ONE = "t/<slug:tenant>/conversations/<uuid:conversation_id>/"

inbox_urls = [path("t/<slug:tenant>/", inbox.inbox, name="inbox")]

thread_urls = [
    path(_ONE, thread.thread, name="thread"),
    path(f"{_ONE}lines/", thread.lines, name="lines"),
    path(f"{_ONE}header/", thread.header, name="header"),
    path(f"{_ONE}composer/", thread.composer, name="composer"),
    path(f"{_ONE}details/", thread.details, name="details"),
    path(f"{_ONE}say/", thread.say, name="say"),
]

control_urls = [
    path(f"{_ONE}take-over/", control.take_over, name="take-over"),
    path(f"{_ONE}hand-back/", control.hand_back, name="hand-back"),
    path(f"{_ONE}resolve/", control.resolve, name="resolve"),
    path(f"{_ONE}reopen/", control.reopen, name="reopen"),
    path(f"{_ONE}snooze/", control.snooze, name="snooze"),
]

details_urls = [
    path(f"{_ONE}title/", details.title, name="title"),
    path(f"{_ONE}stage/", details.stage, name="stage"),
    path(f"{_ONE}assign/", details.assign, name="assign"),
    path(f"{_ONE}mode/", details.mode, name="mode"),
    path(f"{_ONE}labels/", details.labels, name="labels"),
]

# /t/<tenant>/messages/<id>/
_MESSAGE = "t/<slug:tenant>/messages/<uuid:message_id>/"
message_urls = [
    path(_MESSAGE, edit.message, name="message"),
    path(f"{_MESSAGE}history/", edit.message_history, name="message-history"),
    path(f"{_MESSAGE}edit/", edit.edit_message, name="edit-message"),
    path(f"{_MESSAGE}fork/", edit.fork, name="fork"),
    path(f"{_MESSAGE}redact/", edit.redact_message, name="redact-message"),
    path("t/<slug:tenant>/files/<uuid:file_id>/redact/", edit.redact_file, name="redact-file"),
]

# /t/<tenant>/privacy/
_PRIVACY = "t/<slug:tenant>/privacy/"
_POLICIES, _HOLDS = f"{_PRIVACY}retention/", f"{_PRIVACY}holds/"
_RUNS = f"{_PRIVACY}retention/runs/"
privacy_urls = [
    path(_PRIVACY, privacy_desk.privacy, name="privacy"),
    path(_POLICIES, retention.retention_page, name="privacy-retention"),
    path(f"{_POLICIES}new/", retention.add_policy, name="add-policy"),
    path(f"{_POLICIES}<uuid:policy_id>/change/", retention.change_policy, name="change-policy"),
    path(f"{_POLICIES}<uuid:policy_id>/end/", retention.end_policy, name="end-policy"),
    path(f"{_POLICIES}<uuid:policy_id>/confirm/", retention.second_policy, name="second-policy"),
    path(f"{_RUNS}<uuid:run_id>/confirm/", run_views.run, name="confirm-run"),
    path(_HOLDS, hold.holds_page, name="privacy-holds"),
    path(f"{_HOLDS}new/", hold.add_hold, name="add-hold"),
    path(f"{_HOLDS}<uuid:hold_id>/release/", hold.release_hold, name="release-hold"),
    path(f"{_PRIVACY}record/", record.privacy_record, name="privacy-record"),
]

_REQUEST = f"{_PRIVACY}requests/<uuid:erasure_id>/"
_TARGETS = f"{_PRIVACY}requests/systems/"
erasure_urls = [
    path("privacy/confirm/<str:token>/", privacy_confirm.confirm_erasure, name="confirm-erasure"),
    path(f"{_PRIVACY}requests/", erasure.privacy_requests, name="privacy-requests"),
    path(_REQUEST, erasure.privacy_request, name="privacy-request"),
    path(f"{_REQUEST}approve/", erasure.approve_erasure, name="approve-erasure"),
    path(f"{_REQUEST}refuse/", erasure.refuse_erasure, name="refuse-erasure"),
    path(f"{_REQUEST}run-again/", erasure.run_erasure_again, name="run-erasure-again"),
    path(
        f"{_PRIVACY}customers/<uuid:customer_id>/erase/",
        erasure.erase_customer,
        name="erase-customer",
    ),
    path(_TARGETS, erasure.privacy_targets, name="privacy-targets"),
    path(f"{_TARGETS}add/", erasure.add_privacy_target, name="add-privacy-target"),
    path(
        f"{_TARGETS}<uuid:target_id>/remove/",
        erasure.remove_privacy_target,
        name="remove-privacy-target",
    ),
]

_CERTIFICATE = f"{_PRIVACY}certificates/<uuid:certificate_id>/"
certificate_urls = [
    path(
        f"{_PRIVACY}certificates/", certificates.privacy_certificates, name="privacy-certificates"
    ),
    path(_CERTIFICATE, certificates.certificate, name="certificate"),
    path(f"{_CERTIFICATE}file/<str:kind>/", certificates.certificate_file, name="certificate-file"),
]

export_urls = [
    path(f"{_PRIVACY}exports/", exports.privacy_exports, name="privacy-exports"),
    path(f"{_PRIVACY}exports/all/", exports.ask_tenant_export, name="ask-tenant-export"),
    path(f"{_PRIVACY}exports/<uuid:export_id>/", exports.privacy_export, name="privacy-export"),
    path(f"{_PRIVACY}exports/<uuid:export_id>/fetch/", exports.fetch_export, name="fetch-export"),
    path(
        f"{_PRIVACY}exports/<uuid:export_id>/file/<str:token>/",
        exports.export_file,
        name="export-file",
    ),
    path(
        f"{_PRIVACY}exports/<uuid:export_id>/withdraw/",
        exports.withdraw_export,
        name="withdraw-export",
    ),
]

# /t/<tenant>/customers/
_CUSTOMERS = "t/<slug:tenant>/customers/"
_CUSTOMER = f"{_CUSTOMERS}<uuid:customer_id>/"
customer_urls = [
    path(_CUSTOMERS, customers.customers, name="customers"),
    path(_CUSTOMER, customers.customer, name="customer"),
    path(f"{_CUSTOMER}merge/", customers.merge_customer, name="merge-customer"),
    path(f"{_CUSTOMER}split/", customers.split_customer, name="split-customer"),
    path(f"{_CUSTOMER}export/", exports.ask_export, name="ask-export"),
    path(f"{_CUSTOMERS}merges/<uuid:merge_id>/undo/", customers.undo_merge, name="undo-merge"),
]

# /t/<tenant>/end/
_END = "t/<slug:tenant>/end/"
end_urls = [
    path(_END, ends.end, name="end"),
    path(f"{_END}close/", ends.close_tenant, name="close-tenant"),
    path(f"{_END}order/", ends.order_end, name="order-end"),
    path(f"{_END}take-back/", ends.take_back_end, name="take-back-end"),
    path(f"{_END}reopen/", ends.reopen_tenant, name="reopen-tenant"),
]

urlpatterns = [
    *inbox_urls,
    *thread_urls,
    *control_urls,
    *details_urls,
    *message_urls,
    *customer_urls,
    *privacy_urls,
    *export_urls,
    *erasure_urls,
    *certificate_urls,
    *end_urls,
]
