# from verify import is_ours, is_ours_and_recent
import base64
import hashlib
import hmac
import re
import time


def is_ours(secret: str, raw_body: bytes, header: "str | None") -> bool:
    """raw_body: the bytes as they came, before anything parses them. header: X-Webhook-Signature, or X-Webhook-Signature-Previous."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (header or "").encode())


def is_ours_and_recent(secret: str, raw_body: bytes, id: str, timestamp: str, signature: "str | None") -> bool:
    """Refuses a repeated old delivery too. id, timestamp, signature: webhook-id, webhook-timestamp and webhook-signature."""
    if not re.fullmatch("[0-9]{1,12}", timestamp or "") or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{id}.{timestamp}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(expected, each.encode()) for each in (signature or "").split(" "))


def key_of(secret: str) -> bytes:
    """Base64 after whsec_ is decoded; any other secret is the key as it is."""
    encoded = re.fullmatch("whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)", secret)
    return base64.b64decode(encoded[1]) if encoded and encoded[1] else secret.encode()
