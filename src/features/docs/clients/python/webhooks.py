"""How a receiver knows that a POST is a delivery of the service."""

import base64
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Protocol, Tuple

if TYPE_CHECKING:
    from .api import Event


class Headers(Protocol):
    """A dict, or what a server calls its headers."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


class WebhookError(Exception):
    """A POST that is not a delivery of the service, or not a recent one: answer it 401."""


def verify_webhook(
    secret: str, raw_body: bytes, headers: Headers, *, tolerance: float = 300, now: Optional[float] = None
) -> "Event":
    """Returns the event of a delivery. Raises WebhookError if it was not signed with the secret, or more than `tolerance` seconds ago.

    raw_body: the bytes as they came, before anything parses them.
    """
    id, timestamp, signatures = (_read(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    at = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(at - int(timestamp)) > tolerance:
        raise WebhookError("webhook-timestamp is missing, or too far from now")
    signed = f"{id}.{timestamp}.".encode(errors="replace") + raw_body
    mac = base64.b64encode(hmac.new(_key_in(secret), signed, hashlib.sha256).digest())
    _check("v1," + mac.decode(), signatures.split(" "), "webhook-signature")
    return _event(raw_body)


def verify_body(secret: str, raw_body: bytes, headers: Headers) -> "Event":
    """The same by X-Webhook-Signature, which covers the body alone: whoever has caught a delivery can repeat it for ever."""
    given = [_read(headers, name) for name in ("x-webhook-signature", "x-webhook-signature-previous")]
    expected = "sha256=" + hmac.new(_bytes_of(secret), raw_body, hashlib.sha256).hexdigest()
    _check(expected, given, "X-Webhook-Signature")
    return _event(raw_body)


def _check(expected: str, given: List[str], header: str) -> None:
    """In constant time."""
    if not any(hmac.compare_digest(expected.encode(), each.encode(errors="replace")) for each in given):
        raise WebhookError(f"{header} is missing or wrong")


def _event(raw_body: bytes) -> Any:
    return json.loads(raw_body)


def _key_in(secret: str) -> bytes:
    """Base64 after whsec_ is decoded; any other secret is the key as it is."""
    encoded = re.fullmatch("whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)", secret)
    return base64.b64decode(encoded[1]) if encoded and encoded[1] else _bytes_of(secret)


def _bytes_of(secret: str) -> bytes:
    if not secret:
        raise ValueError("The secret is empty: anybody could sign with it")
    return secret.encode()


def _read(headers: Headers, name: str) -> str:
    return next((value for given, value in headers.items() if given.lower() == name), "")
