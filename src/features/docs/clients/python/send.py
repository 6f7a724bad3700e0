import os
import sys

from trunkline_client import Trunkline, TrunklineError

trunkline = Trunkline(os.environ["BASE_URL"], os.environ["KEY"])
channel, recipient, text = sys.argv[1:]
try:
    answer = trunkline.send_text(channel_id=channel, recipient=recipient, text=text)
    print(answer["status"], answer["error"] or "")
    for message in trunkline.list_messages(channel_id=channel, limit=100):
        print(message["created_at"], message["direction"], message["person"])
except TrunklineError as error:
    print(error.code or error.status, error, error.request_id, file=sys.stderr)
