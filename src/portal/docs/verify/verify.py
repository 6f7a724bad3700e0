# python3 verify.py SECRET SIGNATURE < body: ends with 0 when the signature is right
import hashlib
import hmac
import sys


def is_ours(secret: str, raw_body: bytes, header: str) -> bool:
    """raw_body: the bytes as they came, before anything parses them. header: X-Webhook-Signature."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), header.encode())


if __name__ == "__main__":
    secret, signature = sys.argv[1:3]
    sys.exit(0 if is_ours(secret, sys.stdin.buffer.read(), signature) else 1)
