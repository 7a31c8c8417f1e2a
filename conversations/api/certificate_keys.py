"""The public keys of certificates, at a plain address for everybody."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from conversations.selectors.certificates import known_keys
from tenants import signing


@require_safe
def certificate_keys(_request: HttpRequest) -> JsonResponse:
    """The file that `verify_certificate --keys` takes."""
    keys = [
        {
            "id": signing.key_id(key.public_key),
            "algorithm": "Ed25519",
            "public_key": key.public_key,
            "since": key.since,
        }
        for key in known_keys()
    ]
    return JsonResponse({"format": "turnstone-certificate-keys/1", "keys": keys})
