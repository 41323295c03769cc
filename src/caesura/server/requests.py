"""Requests of the page: their routes, the body as JSON, errors as sentences, and checks of what the page sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from caesura.errors import CaesuraError, OptionError, own_errors
from caesura.measures.registry import find_measure
from caesura.model.plain import to_json
from caesura.notices import collect_warnings
from caesura.progress import on_progress
from caesura.server.security import RequestError
from caesura.tasks.workbench import Parameters, Workbench
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.requests import Request


DEADLINE = 600.0  # seconds for the answer to a request
_INTERVAL = 0.5  # seconds between two looks at whether the page still waits


def json_response(data: Any, status: int = 200) -> Response:
    return Response(to_json(data), status, media_type="application/json")


def post(path: str, answer: Callable[[dict[str, Any]], Any], *, writes: bool = False) -> Route:
    """Return a route for requests with a JSON object. An answer that writes to disk is not cancelled."""

    async def endpoint(request: Request) -> Response:
        return await _answer(request, answer, await _body(request), cancels=not writes)

    return Route(path, endpoint, methods=["POST"])


def get(path: str, answer: Callable[[dict[str, Any]], Any]) -> Route:
    """Return a route for requests without a body."""

    async def endpoint(request: Request) -> Response:
        return await _answer(request, answer, dict(request.query_params))

    return Route(path, endpoint, methods=["GET"])


async def _answer(
    request: Request, answer: Callable[[dict[str, Any]], Any], arguments: dict[str, Any], *, cancels: bool = True
) -> Response:
    """Compute the answer until the deadline, or until nobody waits for it any more."""

    def compute() -> Response:
        try:
            with own_errors("this request"), collect_warnings() as warnings:
                result = answer(arguments)
        except CaesuraError as error:
            return json_response({"error": str(error)}, 400)
        if isinstance(result, Response):
            return result
        return json_response({**result, "warnings": [clean(warning) for warning in warnings]})

    worker = _Worker(compute)
    ends = monotonic() + DEADLINE
    while not await worker.wait(_INTERVAL):
        if cancels and (monotonic() > ends or await request.is_disconnected()):
            worker.cancel()
            problem = f"this took longer than {DEADLINE:g} seconds and was stopped; choose fewer items or coders"
            return json_response({"error": problem}, 503)
    return worker.response()


class _Cancelled(BaseException):
    """Raised in a worker that is cancelled."""


class _Worker:
    """Computes the answer to one request on a thread of its own."""

    def __init__(self, compute: Callable[[], Response]) -> None:
        self._future: Future[Response] = Future()
        self._cancelled = Event()
        Thread(target=copy_context().run, args=(self._run, compute), daemon=True).start()

    def _run(self, compute: Callable[[], Response]) -> None:
        try:
            with on_progress(self._check):
                result = compute()
            self._future.set_result(result)
        except _Cancelled:
            self._future.set_result(Response(status_code=503))  # which nobody waits for
        except BaseException as error:
            self._future.set_exception(error)

    async def wait(self, seconds: float) -> bool:
        """Wait for the answer, and return whether it is there."""
        done, _ = await asyncio.wait([asyncio.wrap_future(self._future)], timeout=seconds)
        return bool(done)

    def response(self) -> Response:
        return self._future.result()

    def cancel(self) -> None:
        """End the computation when it reports progress the next time, which is between two steps."""
        self._cancelled.set()

    def _check(self, done: float, total: int | None) -> None:
        if self._cancelled.is_set():
            raise _Cancelled


async def _body(request: Request) -> dict[str, Any]:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type != "application/json":
        raise RequestError(415, "expected a request with the type application/json")
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise RequestError(400, "the request is no valid JSON") from None
    if not isinstance(data, dict):
        raise RequestError(400, "expected a JSON object")
    return data


def read_parameters(workbench: Workbench, body: dict[str, Any]) -> Parameters:
    measure, options, coders = body.get("measure"), body.get("options"), body.get("coders")
    if measure is not None and not isinstance(measure, str):
        raise OptionError("measure: expected a text")
    if coders is not None and not isinstance(coders, list):
        raise OptionError("coders: expected a list of numbers")
    if options is None or measure is None:
        return workbench.parameters(measure, coders)
    if not isinstance(options, dict):
        raise OptionError("options: expected an object")
    return workbench.parameters(find_measure(measure)(**options), coders)


def item_of(workbench: Workbench, number: Any) -> str:
    """Return the name of an item by its number on the page."""
    return name_of("item", workbench.items, number)


def name_of(what: str, names: Sequence[str], number: Any) -> str:
    if isinstance(number, str) and number.isdecimal() and len(number) < 10:
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
        raise OptionError(f"{what}: expected a number from 0 to {len(names) - 1}; got {number!r:.40}")
    return names[number]
