"""A form with a file, as multipart/form-data."""

import mimetypes
from typing import Any, Dict, List, Tuple, Union

#: The bytes of a file, or its name and its bytes: the name says what type it is, where `mime_type` does not.
File = Union[bytes, Tuple[str, bytes]]


def write_form(given: Dict[str, Any], boundary: str) -> bytes:
    """The service reads the fields before the file arrives."""
    parts: List[bytes] = []
    for name, value in sorted(given.items(), key=lambda member: isinstance(member[1], (bytes, tuple))):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, (bytes, tuple)):
            file_name, content = value if isinstance(value, tuple) else ("file", value)
            head += f'; filename="{_escape(file_name)}"'
            mime_type, encoding = mimetypes.guess_type(file_name)
            if mime_type is not None and encoding is None:
                head += f"\r\nContent-Type: {mime_type}"
        else:
            content = as_text(value).encode()
        parts += [head.encode(), b"\r\n\r\n", content, b"\r\n"]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escape(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
