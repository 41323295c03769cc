"""Help for the modules that answer requests: reading the body, and errors as sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from caesura.errors import CaesuraError, own_errors
from caesura.model.json_text import to_json
from caesura.notices import collect_warnings
from caesura.server.security import RequestError
from caesura.views.table import clean

if TYPE_CHECKING:
    from starlette.requests import Request


def json_response(data: Any, status: int = 200) -> Response:
    return Response(to_json(data, indent=None), status, media_type="application/json")


def post(path: str, answer: Callable[[dict[str, Any]], Any]) -> Route:
    """Return a route for requests with a JSON object."""

    async def endpoint(request: Request) -> Response:
        return await _answer(answer, await _body(request))

    return Route(path, endpoint, methods=["POST"])


def get(path: str, answer: Callable[[dict[str, Any]], Any]) -> Route:
    """Return a route for requests without a body."""

    async def endpoint(request: Request) -> Response:
        return await _answer(answer, dict(request.query_params))

    return Route(path, endpoint, methods=["GET"])


async def _answer(answer: Callable[[dict[str, Any]], Any], arguments: dict[str, Any]) -> Response:
    def compute() -> Response:
        try:
            with own_errors("this request"), collect_warnings() as warnings:
                result = answer(arguments)
        except CaesuraError as error:
            return json_response({"error": str(error)}, 400)
        except RequestError as error:
            return json_response({"error": error.message}, error.status)
        if isinstance(result, Response):
            return result
        return json_response({**result, "warnings": [clean(warning) for warning in warnings]})

    return await run_in_threadpool(compute)


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request."""
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
