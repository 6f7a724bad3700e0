"""What the Python client does, as one JSON value: argv has the service, the scripted service, key, channel, recipient and a delivery."""

import hashlib
import hmac
import io
import json
import os
import pathlib
import sys
import tempfile

from trunkline_client import Trunkline, TrunklineError, WebhookError, verify_body, verify_webhook

url, scripted, key, channel, recipient, secret, headers, body = sys.argv[1:]
trunkline = Trunkline(url + "/", key)
other = Trunkline(scripted, "mip_live_x", tries=3)
said = {}


def refusal(call):
    try:
        return {"answer": call()}
    except TrunklineError as error:
        return {"status": error.status, "code": error.code, "detail": error.detail, "retry_after": error.retry_after}
    except (WebhookError, ValueError, TypeError) as error:
        return type(error).__name__


def message_of(call):
    try:
        call()
    except (TrunklineError, ValueError) as error:
        return str(error)


def other_address(address, key="mip_live_x"):
    return Trunkline(address, key)


message = dict(channel_id=channel, recipient=recipient, text="from Python", idempotency_key=recipient)
said["sent"] = [trunkline.send_text(**message), trunkline.send_text(**message)]
made = {trunkline.add_redirect(uri_pattern=f"https://list.example.com/{path}")["id"] for path in "abc"}
listed = [redirect["id"] for redirect in trunkline.list_redirects(limit=1)]
pages = list(trunkline.list_redirects(limit=2).pages())
whole = trunkline.list_redirects().first()["redirects"]
said["listed"] = [made <= set(listed), len(listed) == len(whole) == sum(len(page["redirects"]) for page in pages)]
file = ("Kuchen \"1\".jpg", b"a picture")
upload = trunkline.upload_media(file=file, channel_id=channel, media_type="image", mime_type="image/jpeg")
said["uploaded"] = [upload["mime_type"], upload["file_size"], upload["filename"]]
path = os.path.join(tempfile.mkdtemp(), "Kuchen.pdf")
with open(path, "wb") as written:
    written.write(b"%PDF-1.7")
files = [path, pathlib.Path(path), open(path, "rb"), b"%PDF-1.7", bytearray(b"%PDF-1.7"), io.BytesIO(b"%PDF-1.7")]
files += [(None, b"%PDF-1.7"), ("Torte.pdf", open(path, "rb")), ("Torte", b"%PDF-1.7", "application/pdf")]
kept = dict(channel_id=channel, media_type="document", mime_type="application/pdf")
said["files"] = [[one["filename"], one["file_size"]] for one in (trunkline.upload_media(file=file, **kept) for file in files)]
three = trunkline.upload_media(file=("Torte", b"%PDF", "application/pdf"), channel_id=channel, media_type="document", mime_type=None)
said["three"] = three["mime_type"]
guessed = trunkline.upload_media(file=("invoice.pdf", b"%PDF"), channel_id=channel, media_type="document")
said["guessed"] = guessed["mime_type"]
endpoint = trunkline.add_endpoint(channel_id=channel, url="https://crm.example.com/in", events=["message.received"])
place = dict(channel_id=channel, endpoint_id=endpoint["id"])
said["endpoint"] = [
    trunkline.update_endpoint(**place, is_enabled=False)["disabled_at"] is not None,
    endpoint["id"] in [each["id"] for each in trunkline.list_endpoints(channel_id=channel)],
    trunkline.remove_endpoint(**place),
]
said["coded"] = refusal(lambda: trunkline.send_text(channel_id=channel, recipient="", text="hi"))
said["not found"] = refusal(lambda: trunkline.read_channel(channel_id="x"))

raw, given = body.encode(), json.loads(headers)
at = int(given["webhook-timestamp"])
said["verified"] = [verify_webhook(secret, raw, given), verify_body(secret, raw, given)]
said["refused"] = [
    refusal(lambda: verify_webhook(secret, raw, given, now=at + 301)),
    refusal(lambda: verify_webhook(secret, raw, given, now=at - 301)),
    refusal(lambda: verify_webhook(secret, raw, {**given, "webhook-timestamp": str(at + 1)})),
    refusal(lambda: verify_webhook(secret, raw + b" ", given)),
    refusal(lambda: verify_webhook("whsec_other", raw, given)),
    refusal(lambda: verify_webhook(secret, raw, {**given, "webhook-signature": ""})),
    refusal(lambda: verify_body("whsec_other", raw, given)),
    refusal(lambda: verify_body(secret, raw, {})),
    refusal(lambda: verify_webhook(secret, raw, {**given, "webhook-signature": "\udcff"})),
]
unsigned = hmac.new(b"", raw, hashlib.sha256).hexdigest()
said["no secret"] = refusal(lambda: verify_body("", raw, {"x-webhook-signature": f"sha256={unsigned}"}))
said["messages"] = [
    message_of(lambda: trunkline.send_text(channel_id=channel, recipient="", text="hi")),
    message_of(lambda: other_address("inbox.example.com")),
    message_of(lambda: other_address("https://me:secret@inbox.example.com")),
    message_of(lambda: other_address("https://inbox.example.com/api/v1/")),
    message_of(lambda: other_address("http://inbox.example.com")),
    message_of(lambda: other_address("http://127.0.0.1.example.com")),
    message_of(lambda: other_address("https://inbox.example.com", None)),
]
taken = ["https://inbox.example.com/behind/", " http://localhost:3000/\n", "http://demo.localhost", "http://[::1]:3000", "http://127.8.9.1"]
said["taken"] = [message_of(lambda: other_address(address)) for address in taken]
said["taken"].append(message_of(lambda: Trunkline("http://inbox.example.com", "mip_live_x", allow_http=True)))
said["no key"] = refusal(lambda: Trunkline(scripted, "mip_live_x\ny").list_channels().first())

no_files = [None, 7, ["a.pdf", b"x"], {"path": "x"}, ("a.pdf", "text"), io.StringIO("text"), open(path)]
said["no files"] = [refusal(lambda: other.upload_media(file=file, channel_id="c", media_type="image")) for file in no_files]
said["no field"] = refusal(lambda: other.upload_media(file=b"x", channel_id={}, media_type="image"))

# In the order of the scripted answers.
said["repeated"] = [other.add_redirect(uri_pattern="x"), other.send_text(channel_id="c", recipient="1", text="hi")]
said["not repeated"] = [
    refusal(lambda: other.add_redirect(uri_pattern="x")),
    refusal(lambda: other.list_channels().first()),
    refusal(lambda: other.list_channels().first()),
]
said["marked"] = other.mark_read(message_id="m", channel_id="c")
said["other forms"] = [message_of(lambda: other.add_redirect(uri_pattern="x")) for _ in range(2)]
said["dots"] = refusal(lambda: other.read_channel(channel_id=".."))
print(json.dumps(said))
