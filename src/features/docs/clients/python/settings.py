"""The key and the address to call, as they were given to the constructor."""

import ipaddress
import re
import urllib.parse


def checked_key(given: str) -> str:
    key = given.strip() if isinstance(given, str) else ""
    # Python would quote the key in its error.
    if not re.fullmatch("[!-~]+", key):
        raise ValueError("api_key must be given, in ASCII without white space")
    return key


def checked_base(given: str, allow_http: bool) -> str:
    """Raises ValueError for what would fail later or give the key away."""
    text = given.strip() if isinstance(given, str) else ""
    parts = urllib.parse.urlsplit(text)
    is_address = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not is_address or parts.query or parts.fragment:
        raise ValueError("base_url must be the address of the service, like https://inbox.example.com")
    base = text.rstrip("/?#")
    if base.endswith("/api/v1"):
        raise ValueError("base_url must be given without /api/v1")
    if parts.scheme == "http" and allow_http is not True and not _is_loopback(str(parts.hostname)):
        raise ValueError("base_url must be https, or others read the key: allow_http takes it as it is")
    return base


def is_plain_to_here(base: str) -> bool:
    """Whether calls go to this machine, without TLS."""
    parts = urllib.parse.urlsplit(base)
    return parts.scheme == "http" and _is_loopback(str(parts.hostname))


def _is_loopback(host: str) -> bool:
    """This machine, where nobody reads along."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
