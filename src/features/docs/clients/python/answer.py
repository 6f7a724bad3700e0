import os
import sys

from trunkline_client import Trunkline

trunkline = Trunkline(os.environ["BASE_URL"], os.environ["KEY"])
channel, message, recipient, path = sys.argv[1:]
trunkline.mark_read(channel_id=channel, message_id=message)
trunkline.show_typing(channel_id=channel, message_id=message)
upload = trunkline.upload_media(channel_id=channel, media_type="document", file=path)
sent = [
    trunkline.send_media(
        channel_id=channel,
        recipient=recipient,
        media_type="document",
        media_id=upload["media_id"],
        reply_to=message,
    ),
    trunkline.send_interactive(
        channel_id=channel,
        recipient=recipient,
        interactive_type="buttons",
        text="Does this answer your question?",
        buttons=[{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
    ),
]
print(*(answer["status"] for answer in sent))
