# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in for AWX over HTTP, on loopback."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from .controller import ASSOCIATIONS, LINKS, Controller
from .controller_surveys import Refused, check_survey

# What stands below an object and is served apart from it.
BELOW = (*ASSOCIATIONS, "survey_spec", "create_approval_template", "update")


class _Handler(BaseHTTPRequestHandler):
    controller: Controller

    def log_message(self, *words: object) -> None:
        """Say nothing."""

    def _answer(self, code: int, body: object) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("X-API-Product-Name", "AWX")
        self.send_header("X-API-Product-Version", "24.6.1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _list(self, found: list[dict]) -> None:
        self._answer(200, {"count": len(found), "next": None, "previous": None, "results": found})

    def _place(self) -> tuple[str, int | None, str]:
        words = re.match(r"/api/v2/(\w+)/(?:(\d+)/)?(?:(\w+)/)?$", urlsplit(self.path).path)
        if not words:
            raise KeyError(self.path)
        return words[1], int(words[2]) if words[2] else None, words[3] or ""

    def _serve(self, method: str) -> None:
        known = self.controller
        endpoint, number, more = self._place()
        length = int(self.headers.get("Content-Length") or 0)
        given = json.loads(self.rfile.read(length) or "{}") if length else {}
        if method != "GET":
            known.written.append((method, self.path))
        owner = known.kept[endpoint][number] if number else {}
        if more in BELOW:
            self._serve_below(method, owner, more, given)
        elif method == "GET" and number:
            self._answer(200, owner)
        elif method == "GET":
            self._list(known.search(endpoint, dict(parse_qsl(urlsplit(self.path).query))))
        elif method == "DELETE":
            self._delete(endpoint, number)
        elif number:
            self._answer(200, known.change(endpoint, number, given))
        else:
            self._answer(201, known.add(endpoint, given))

    def _serve_below(self, method: str, owner: dict, more: str, given: dict) -> None:
        """What stands below an object: associations, the survey, approvals, updates."""
        known = self.controller
        if more in ASSOCIATIONS:
            if method == "GET":
                return self._list([{"id": one} for one in owner["links"].get(more, [])])
            known.link(owner, more, given)
            return self._answer(204, None)
        if more == "survey_spec":
            if method == "POST":
                check_survey(given)
                owner["survey"] = given
            return self._answer(200, owner.get("survey", {}))
        if more == "create_approval_template":
            approval = known.add("workflow_approval_templates", given)
            owner["unified_job_template"] = approval["id"]
            owner["related"]["unified_job_template"] = approval["url"]
            return self._answer(201, approval)
        update = {"status": "successful", "finished": "now", "failed": False, "event_processing_finished": True}
        return self._answer(202, known.add("inventory_updates", update))

    def _delete(self, endpoint: str, number: int | None) -> None:
        known = self.controller
        del known.kept[endpoint][number]
        for node in known.kept["workflow_job_template_nodes"].values():
            for kind in LINKS:
                node["links"][kind] = [each for each in node["links"].get(kind, []) if each != number]
        self._answer(204, None)

    def _safely(self, method: str) -> None:
        try:
            self._serve(method)
        except Refused as error:
            self._answer(400, error.args[0])
        except KeyError as error:
            self._answer(404, {"detail": f"Not found: {error}"})

    def do_GET(self) -> None:
        """Read."""
        self._safely("GET")

    def do_POST(self) -> None:
        """Create, associate, launch."""
        self._safely("POST")

    def do_PATCH(self) -> None:
        """Change."""
        self._safely("PATCH")

    def do_DELETE(self) -> None:
        """Remove."""
        self._safely("DELETE")


def serve(controller: Controller) -> tuple[ThreadingHTTPServer, str]:
    """A server on loopback, and its address; end it with ``shutdown`` and ``server_close``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"controller": controller}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"
