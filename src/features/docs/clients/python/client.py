"""Calls, retries and lists. Python's own library is all that it needs."""

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Generic, Iterator, NamedTuple, Optional, TypeVar

from .form import as_text, read_file, write_form
from .settings import checked_base, checked_key, is_plain_to_here

Item = TypeVar("Item")
Page = TypeVar("Page")


class _Omitted:
    def __repr__(self) -> str:
        return "OMITTED"


#: An argument that is left out of the request; None is sent as null.
OMITTED: Any = _Omitted()


class Operation(NamedTuple):
    method: str
    path: str
    #: Where what is not in the path is given: "query", "body" or "form".
    takes: str = "query"
    #: Whether it takes an Idempotency-Key.
    once: bool = False
    #: The member of the answer that has the items of a list.
    items: str = ""
    file: bool = False
    #: The member of the form that is a file.
    upload: str = ""
    #: Whether what may have been done can be asked for again.
    repeatable: bool = False


class TrunklineError(Exception):
    """A call that the service refused, or that got no answer: then `status` is None.

    detail: a sentence, a dict with "code", or a list of field errors. code: for some refusals, what a program can act on.
    retry_after: seconds after which the call can be repeated, if the service has said so.
    """

    def __init__(
        self,
        message: str,
        status: Optional[int] = None,
        detail: Any = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail
        self.code: Optional[str] = detail.get("code") if isinstance(detail, dict) else None
        self.request_id = request_id
        self.retry_after = retry_after


class Pages(Generic[Item, Page]):
    """A list: iterate over its items, or over its pages, which have what else the answer has."""

    def __init__(self, client: "Client", operation: Operation, given: Dict[str, Any]) -> None:
        self._client, self._operation, self._given = client, operation, given

    def pages(self) -> Iterator[Page]:
        """Each answer as a whole. Only `next_cursor` None is the end: a page can be empty."""
        given, more = self._given, True
        while more:
            page: Any = self._client._call(self._operation, given)
            yield page
            given = {**given, "cursor": page.get("next_cursor")}
            more = isinstance(given["cursor"], str)

    def first(self) -> Page:
        """The first page; without `limit` most lists are whole."""
        return next(self.pages())

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page[self._operation.items]  # type: ignore[index]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """base_url: the address of the service, without /api/v1: https, or http to this machine; with allow_http any, over which
    others can read the key and the messages.

    tries: how often a call is tried at most. timeout: seconds of one try; a send can take about 30.
    longest_wait: a service that asks to wait for more seconds is not waited for. May be used by several threads at once.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        allow_http: bool = False,
        tries: int = 5,
        timeout: float = 60,
        longest_wait: float = 60,
    ) -> None:
        self._base, self._key = checked_base(base_url, allow_http), checked_key(api_key)
        self._tries, self._timeout, self._longest_wait = tries, timeout, longest_wait
        # A proxy elsewhere would read the key.
        proxies = [urllib.request.ProxyHandler({})] if is_plain_to_here(self._base) else []
        self._opener = urllib.request.build_opener(_NoRedirects, *proxies)

    def _call(self, operation: Operation, given: Dict[str, Any], idempotency_key: Optional[str] = None) -> Any:
        """Calls one operation, again where that can do no harm."""
        given = {name: value for name, value in given.items() if value is not OMITTED}
        if operation.upload:
            given[operation.upload] = read_file(given.get(operation.upload))
        key = idempotency_key or str(uuid.uuid4())
        tried = 1
        while True:
            # Made anew: one that has been tried through a proxy would leave without TLS.
            request = self._request(operation, dict(given), key)
            try:
                return self._try(request, operation.file)
            except TrunklineError as error:
                pause = self._pause_after(error, operation, tried)
                if pause is None:
                    raise
                time.sleep(pause)
                tried += 1

    def _request(self, operation: Operation, given: Dict[str, Any], key: str) -> urllib.request.Request:
        def fill(name: "re.Match[str]") -> str:
            value = str(given.pop(name[1]))
            if value in ("", ".", ".."):
                raise ValueError(f"{name[1]} must be given, and must not be dots")
            return urllib.parse.quote(value, safe="")

        url = self._base + re.sub(r"\{(\w+)\}", fill, operation.path)
        headers = {"X-API-Key": self._key, **({"Idempotency-Key": key} if operation.once else {})}
        if operation.takes == "body":
            headers["Content-Type"] = "application/json"
            return urllib.request.Request(url, json.dumps(given).encode(), headers, method=operation.method)
        if operation.takes == "form":
            boundary = uuid.uuid4().hex
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            return urllib.request.Request(url, write_form(given, boundary), headers, method=operation.method)
        query = {name: as_text(value) for name, value in given.items() if value is not None}
        url = f"{url}?{urllib.parse.urlencode(query)}" if query else url
        return urllib.request.Request(url, headers=headers, method=operation.method)

    def _try(self, request: urllib.request.Request, is_file: bool) -> Any:
        try:
            response = self._opener.open(request, timeout=self._timeout)
            if is_file:
                return response
            with response:
                return json.loads(response.read())
        except urllib.error.HTTPError as refused:
            with refused:
                raise _refusal(refused) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise TrunklineError(f"No usable answer: {error}") from error

    def _pause_after(self, error: TrunklineError, operation: Operation, tried: int) -> Optional[float]:
        """Seconds until the next try; None: there is none."""
        is_repeatable = operation.method == "GET" or operation.once or operation.repeatable
        if tried >= self._tries or not (error.status == 429 or (is_repeatable and (error.status or 500) >= 500)):
            return None
        least = 0.25 * 2**tried if error.retry_after is None else float(error.retry_after)
        return None if least > self._longest_wait else least + random.random() / 4


def _refusal(refused: urllib.error.HTTPError) -> TrunklineError:
    try:
        detail = json.loads(refused.read())["detail"]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        detail = None  # somebody between answered, not the service
    after = refused.headers.get("Retry-After") or ""
    return TrunklineError(
        f"{refused.code}: {_sentence(detail)}",
        refused.code,
        detail,
        refused.headers.get("X-Request-Id"),
        int(after) if re.fullmatch("[0-9]{1,9}", after) else None,
    )


def _sentence(detail: Any) -> str:
    """A detail of any form in words, for people: programs look at `code` and `detail`."""
    if isinstance(detail, list):
        fields = [each for each in detail if isinstance(each, dict)]
        return "; ".join(f"{_place(each.get('loc'))}: {each.get('msg')}" for each in fields)
    if not isinstance(detail, dict):
        return str(detail)
    return ". ".join(str(detail[name]) for name in ("message", "hint") if isinstance(detail.get(name), str)) or str(detail)


def _place(loc: Any) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else ""
