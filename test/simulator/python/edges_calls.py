"""pywa and facebook-business use edges beside messaging. Prints the results as JSON."""

import json

from facebook_business.adobjects.page import Page
from pywa.types.calls import CallingSettings, CallingSettingsStatus

from shared import ask, facebook, whatsapp

wa = whatsapp()
added = wa.block_users(users=[ask["to"]]).added_users
blocked = [one.wa_id for one in wa.get_blocked_users()]
removed = wa.unblock_users(users=[ask["to"]]).removed_users
wa.update_business_phone_number_settings(calling=CallingSettings(status=CallingSettingsStatus.ENABLED))
calling = wa.get_business_phone_number_settings().calling.status.value

api = facebook(ask["page_token"])
page = Page(ask["page"], api=api)
page.create_messenger_profile(params={"get_started": {"payload": "START"}, "platform": "MESSENGER"})
profile = page.get_messenger_profile(fields=["get_started"])
page.delete_messenger_profile(params={"fields": ["GET_STARTED"]})
persona = page.create_persona(params={"name": "Ada", "profile_picture_url": "https://bakery.example/a.png"})
personas = page.get_personas(fields=["name"], params={"limit": 1})
threads = list(page.get_conversations(fields=["message_count", "snippet"], params={"platform": "MESSENGER"}))
messages = [one.export_all_data() for one in threads[0].get_messages(fields=["message"], params={"limit": 1})]

batch = api.new_batch()
names = []
for _ in range(2):
    page.api_get(fields=["name"], batch=batch, success=lambda answer: names.append(answer.json()["name"]))
batch.execute()

print(
    json.dumps(
        {
            "blocked": [[one.wa_id for one in added], blocked, [one.wa_id for one in removed]],
            "calling": calling,
            "profile": profile[0]["get_started"],
            "personas": [[one["id"] == persona["id"], one["name"]] for one in personas],
            "threads": [[one["message_count"], one["snippet"]] for one in threads],
            "messages": [one["message"] for one in messages],
            "batch": names,
        }
    )
)
