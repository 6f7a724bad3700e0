"""Shared by the callers of this folder: their JSON argument, and clients whose calls go to the simulator."""

import json
import sys

import httpx
from facebook_business.api import FacebookAdsApi
from facebook_business.session import FacebookSession
from pywa import WhatsApp

ask = json.loads(sys.argv[1])
FacebookSession.GRAPH = ask["url"]


class ToSimulator(httpx.HTTPTransport):
    """pywa has no base URL: this replaces the host of each call."""

    def handle_request(self, request):
        if request.url.host == "graph.facebook.com":
            target = httpx.URL(ask["url"])
            request.url = request.url.copy_with(scheme=target.scheme, host=target.host, port=target.port)
            request.headers["host"] = f"{target.host}:{target.port}"
        return super().handle_request(request)


def whatsapp(**more):
    return WhatsApp(
        phone_id=ask["phone"],
        token=ask["token"],
        waba_id=ask["waba"],
        session=httpx.Client(transport=ToSimulator()),
        **more,
    )


def facebook(token):
    return FacebookAdsApi.init(ask["app_id"], ask["app_secret"], token, api_version="v25.0", crash_log=False)
