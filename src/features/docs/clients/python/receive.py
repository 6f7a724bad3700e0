import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trunkline_client import WebhookError, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(os.environ["WEBHOOK_SECRET"], body, self.headers)
        except WebhookError:
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        if event["event"] == "message.received":
            print(event["data"]["from"], event["data"].get("text"), flush=True)


class Server(ThreadingHTTPServer):
    request_queue_size = 32


Server(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
