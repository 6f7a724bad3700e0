"""A form with a file, as multipart/form-data."""

from typing import Any, Dict, List, Tuple, Union

#: The bytes of a file, or its name and its bytes.
File = Union[bytes, Tuple[str, bytes]]


def write_form(given: Dict[str, Any], boundary: str) -> bytes:
    """The service reads the fields before the file arrives."""
    parts: List[bytes] = []
    for name, value in sorted(given.items(), key=lambda member: isinstance(member[1], (bytes, tuple))):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, (bytes, tuple)):
            file_name, content = value if isinstance(value, tuple) else ("file", value)
            head += f'; filename="{_escape(file_name)}"'
        else:
            content = as_text(value).encode()
        parts += [head.encode(), b"\r\n\r\n", content, b"\r\n"]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escape(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
