from .api import Trunkline
from .client import OMITTED, Pages, TrunklineError
from .webhooks import WebhookError, verify_body, verify_webhook

__all__ = ["OMITTED", "Pages", "Trunkline", "TrunklineError", "WebhookError", "verify_body", "verify_webhook"]
