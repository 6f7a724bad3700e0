"""A form with a file, as multipart/form-data."""

import mimetypes
import os
from typing import IO, Any, Dict, List, NamedTuple, Optional, Tuple, Union

Content = Union[bytes, bytearray, memoryview, IO[bytes]]

#: A path, a file that was opened with "rb", or bytes; or the name that is shown with bytes or a file, and the type that it has.
#: Without a type, the name says it where `mime_type` does not.
File = Union[str, "os.PathLike[str]", Content, Tuple[Optional[str], Content], Tuple[Optional[str], Content, str]]


class ReadFile(NamedTuple):
    #: Empty: it has none.
    name: str
    content: bytes
    mime_type: Optional[str]


def read_file(given: Any) -> ReadFile:
    """Reads it whole, so that the call can be tried again. Raises TypeError for what is no file, and OSError."""
    if isinstance(given, tuple) and len(given) in (2, 3) and isinstance(given[0], (str, type(None))):
        name, mime_type = given[0] or "", given[2] if len(given) == 3 else None
        return ReadFile(name, _read(given[1]), mime_type or _guess(name))
    if isinstance(given, (str, os.PathLike)):
        name = os.path.basename(os.fspath(given))
        with open(given, "rb") as opened:
            return ReadFile(name, opened.read(), _guess(name))
    path = getattr(given, "name", None)
    name = os.path.basename(path) if isinstance(path, str) else ""
    return ReadFile(name, _read(given), _guess(name))


def _read(content: Any) -> bytes:
    read = content.read() if callable(getattr(content, "read", None)) else content
    if isinstance(read, (bytes, bytearray, memoryview)):
        return bytes(read)
    raise TypeError(f'a file must be a path, bytes, or opened with "rb", not {type(content).__name__}')


def _guess(name: str) -> Optional[str]:
    mime_type, encoding = mimetypes.guess_type(name)
    return mime_type if encoding is None else None


def write_form(given: Dict[str, Any], boundary: str) -> bytes:
    """The service reads the fields before the file arrives."""
    parts: List[bytes] = []
    some = [(name, value) for name, value in given.items() if value is not None]
    for name, value in sorted(some, key=lambda member: isinstance(member[1], ReadFile)):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, ReadFile):
            content = value.content
            head += f'; filename="{_escape(value.name)}"'
            if value.mime_type is not None:
                head += f"\r\nContent-Type: {_escape(value.mime_type)}"
        elif isinstance(value, (str, int, float)):
            content = as_text(value).encode()
        else:
            raise TypeError(f"{name} must be a text or a number, not {type(value).__name__}")
        parts += [head.encode(), b"\r\n\r\n", content, b"\r\n"]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escape(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
