"""pywa reads the simulator's templates. Prints them as JSON, with the member names of the wire."""

import json

from pywa.types import templates as t

from shared import whatsapp

wa = whatsapp()


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
