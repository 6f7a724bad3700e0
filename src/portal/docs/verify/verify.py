# from verify import is_ours
import hashlib
import hmac


def is_ours(secret: str, raw_body: bytes, header: "str | None") -> bool:
    """raw_body: the bytes as they came, before anything parses them. header: X-Webhook-Signature, or X-Webhook-Signature-Previous."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (header or "").encode())
