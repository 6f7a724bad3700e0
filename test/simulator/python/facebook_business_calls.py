"""facebook-business, the platform's own client, calls the simulator. Prints the results as JSON."""

import json
import tempfile

from facebook_business.adobjects.application import Application
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.user import User
from facebook_business.adobjects.whatsappbusinessaccount import WhatsAppBusinessAccount
from facebook_business.exceptions import FacebookRequestError

from shared import ask, facebook

person = facebook(ask["user_token"])
accounts = User(ask["login"], api=person).get_accounts(fields=["id", "name", "access_token", "tasks"])
permissions = User(ask["login"], api=person).get_permissions()
page_token = Page(ask["page"], api=person).api_get(fields=["access_token"])["access_token"]

page_api = facebook(page_token)
page = Page(ask["page"], api=page_api)
linked = page.api_get(fields=["instagram_business_account"])["instagram_business_account"]
subscribed = page.create_subscribed_app(params={"subscribed_fields": ["messages", "message_echoes"]})
apps = page.get_subscribed_apps()
message = page.create_message(
    params={"recipient": {"id": ask["psid"]}, "messaging_type": "RESPONSE", "message": {"text": "Hello"}}
)

app_api = facebook(f"{ask['app_id']}|{ask['app_secret']}")
registered = Application(ask["app_id"], api=app_api).create_subscription(
    params={"object": "page", "callback_url": ask["callback"], "verify_token": "v", "fields": ["messages"]}
)

business = facebook(ask["waba_token"])
waba = WhatsAppBusinessAccount(ask["waba"], api=business)
numbers = waba.get_phone_numbers(fields=["id", "display_phone_number", "quality_rating"])
templates = waba.get_message_templates(
    fields=["id", "name", "language", "status", "components"], params={"limit": 2, "summary": "total_count"}
)
names = sorted(f"{one['name']}/{one['language']}" for one in templates)
created = waba.create_message_template(
    params={
        "name": "parcel_left",
        "language": "en_US",
        "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Your parcel {{1}} is here.", "example": {"body_text": [["A-1"]]}}],
    }
)
waba.delete_message_templates(params={"name": "parcel_left"})

with tempfile.NamedTemporaryFile(suffix=".png") as file:
    file.write(b"\x89PNG\r\n\x1a\n")
    file.flush()
    with open(file.name, "rb") as opened:
        kept = page_api.call(
            "POST",
            (ask["page"], "message_attachments"),
            params={"message": {"attachment": {"type": "image", "payload": {"is_reusable": True}}}},
            files={"filedata": ("cake.png", opened, "image/png")},
        ).json()

try:
    page.api_get(fields=["no_such_field"])
    refused = None
except FacebookRequestError as error:
    refused = {"code": error.api_error_code(), "type": error.api_error_type(), "status": error.http_status()}

print(
    json.dumps(
        {
            "accounts": [one["id"] for one in accounts],
            "permissions": {one["permission"]: one["status"] for one in permissions},
            "linked": linked["id"],
            "subscribed": [app["id"] for app in apps],
            "message": message.export_all_data(),
            "numbers": sorted(one["id"] for one in numbers),
            "templates": names,
            "created": created.export_all_data().get("id", ""),
            "kept": kept,
            "refused": refused,
        }
    )
)
