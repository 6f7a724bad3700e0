"""pywa, written for the real upstream, calls the simulator. Prints the results as JSON."""

import json

import httpx
from pywa.errors import WhatsAppError
from pywa.types import templates as t

from shared import ask, whatsapp

wa = whatsapp(app_id=ask["app_id"], app_secret=ask["app_secret"])

app_token = wa.get_app_access_token(app_id=ask["app_id"], app_secret=ask["app_secret"])
registered = wa.set_app_callback_url(
    app_id=ask["app_id"],
    app_access_token=app_token,
    callback_url=ask["callback"],
    verify_token="v",
    fields=("messages", "message_template_status_update"),
)
overridden = wa.override_waba_callback_url(callback_url=ask["callback"], verify_token="v")

text = wa.send_message(to=ask["to"], text="Hello", tracker="tag-1")
image = wa.send_image(to=ask["to"], image=f"{ask['url']}/files/cake.png", caption="Today")
uploaded = wa.upload_media(media=b"\x89PNG\r\n\x1a\n", mime_type="image/png", filename="cake.png")
again = wa.get_media_url(media_id=uploaded.id)
back = wa.get_media_bytes(url=again.url)

created = wa.create_template(
    template=t.Template(
        name="parcel_tracking",
        category=t.TemplateCategory.UTILITY,
        language=t.TemplateLanguage.ENGLISH_US,
        parameter_format=t.ParamFormat.NAMED,
        components=[
            t.HeaderText("Parcel of {{shop}}", shop="Harbour Bakery"),
            body := t.BodyText("Dear {{first_name}}, your parcel is here.", first_name="Mia"),
            t.Buttons(
                buttons=[
                    url := t.URLButton(text="Track", url="https://shop.example/t/{{1}}", example="A-1"),
                    t.QuickReplyButton(text="Thanks"),
                ]
            ),
        ],
    )
)
httpx.post(f"{ask['url']}/control/templates/{created.id}", json={"event": "APPROVED"}).raise_for_status()
listed = wa.get_templates()
sent = wa.send_template(
    to=ask["to"],
    name="parcel_tracking",
    language=t.TemplateLanguage.ENGLISH_US,
    params=[
        t.HeaderText.params(shop="Harbour Bakery"),
        body.params(first_name="Mia"),
        url.params(url_variable="A-1", index=0),
    ],
)
edited = wa.update_template(created.id, new_components=[t.BodyText("Your parcel is here.")])
deleted = wa.delete_template("parcel_tracking")

account = wa.get_business_account()
numbers = wa.get_business_phone_numbers()
number = wa.get_business_phone_number()

try:
    wa.send_template(to=ask["to"], name="no_such_template", language=t.TemplateLanguage.ENGLISH_US, params=[])
    refused = None
except WhatsAppError as error:
    refused = {"code": error.code, "kind": type(error).__name__}

print(
    json.dumps(
        {
            "registered": bool(registered),
            "overridden": bool(overridden),
            "texts": [text.id, image.id, sent.id],
            "uploaded": {"bytes": back.hex(), "mime": again.mime_type, "size": again.file_size},
            "created": {"id": created.id, "status": created.status},
            "listed": sorted(f"{one.name}/{one.language}/{one.status}" for one in listed),
            "summary": {"total": listed.total_count, "limit": listed.message_template_limit},
            "edited": {"id": edited.id, "success": edited.success},
            "deleted": bool(deleted),
            "account": account.name,
            "numbers": sorted(one.id for one in numbers),
            "quality": number.quality_rating,
            "refused": refused,
        }
    )
)
