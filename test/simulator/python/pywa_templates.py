"""pywa reads the simulator's templates. Prints what it sees as JSON, in the words of the wire."""

import json
import sys

import httpx
from pywa import WhatsApp
from pywa.types import templates as t

ask = json.loads(sys.argv[1])


class ToSimulator(httpx.HTTPTransport):
    """The client has no base URL: the same call, at another host."""

    def handle_request(self, request):
        if request.url.host == "graph.facebook.com":
            target = httpx.URL(ask["url"])
            request.url = request.url.copy_with(scheme=target.scheme, host=target.host, port=target.port)
            request.headers["host"] = f"{target.host}:{target.port}"
        return super().handle_request(request)


wa = WhatsApp(
    phone_id=ask["phone"],
    token=ask["token"],
    waba_id=ask["waba"],
    session=httpx.Client(transport=ToSimulator()),
)


def shown(component):
    said = {"type": str(component.type.value)}
    text = getattr(component, "text", None)
    if isinstance(text, str):
        said["text"] = text
    buttons = getattr(component, "buttons", None)
    if buttons:
        said["buttons"] = [str(button.type.value) for button in buttons]
    return said


print(
    json.dumps(
        [
            {
                "id": one.id,
                "name": one.name,
                "language": str(getattr(one.language, "value", one.language)),
                "status": str(getattr(one.status, "value", one.status)),
                "category": str(getattr(one.category, "value", one.category)),
                "format": str(getattr(one.parameter_format, "value", one.parameter_format)).lower(),
                "components": [shown(component) for component in one.components],
            }
            for one in wa.get_templates()
        ]
    )
)
