# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the API of AWX 24.6, on loopback: objects, surveys, credentials and workflows by the rules that the real one showed.

What it does not do is run jobs: :func:`launch` says how the API answers a launch, :func:`played` what a workflow comes to when some of its jobs fail.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

API = "/api/v2/"
LINKS = ("success_nodes", "failure_nodes", "always_nodes")
ASSOCIATIONS = (*LINKS, "credentials", "galaxy_credentials", "instance_groups", "labels")
TYPES = {
    "organizations": "organization", "execution_environments": "execution_environment", "credential_types": "credential_type", "credentials": "credential",
    "projects": "project", "inventories": "inventory", "inventory_sources": "inventory_source", "job_templates": "job_template", "schedules": "schedule",
    "workflow_job_templates": "workflow_job_template", "workflow_job_template_nodes": "workflow_job_template_node",
    "workflow_approval_templates": "workflow_approval_template", "inventory_updates": "inventory_update",
}
UNIFIED = ("projects", "inventory_sources", "job_templates", "workflow_job_templates", "workflow_approval_templates")
# What the API answers for fields that were not given.
DEFAULTS = {
    "projects": {"scm_revision": "0"}, "inventories": {"kind": "", "host_filter": None}, "schedules": {"extra_data": {}},
    "job_templates": {"ask_variables_on_launch": False, "survey_enabled": False},
    "workflow_job_templates": {"ask_variables_on_launch": False, "survey_enabled": False},
    "workflow_job_template_nodes": {"extra_data": {}, "job_type": None, "unified_job_template": None},
}
SURVEY_TYPES = {"text": str, "textarea": str, "password": str, "multiplechoice": str, "multiselect": str, "integer": int, "float": float}


class Refused(Exception):
    """A 400; the argument is the body."""


def check_survey(spec: dict) -> None:
    """The API's rules for a survey as it is posted.

    :raises Refused: it is not accepted.
    """
    for key, kind in (("name", str), ("description", str), ("spec", list)):
        if not isinstance(spec.get(key), kind):
            raise Refused({"error": f"Field '{key}' is missing from survey spec, or of a wrong type."})
    if not spec["spec"]:
        raise Refused({"error": "'spec' doesn't contain any items."})
    known: set[str] = set()
    for number, one in enumerate(spec["spec"]):
        for key, kind in (("type", str), ("question_name", str), ("variable", str), ("required", bool)):
            if not isinstance(one.get(key), kind):
                raise Refused({"error": f"'{key}' in survey question {number} expected to be {kind.__name__}."})
        if one["variable"] in known:
            raise Refused({"error": f"'variable' '{one['variable']}' duplicated in survey question {number}."})
        known.add(one["variable"])
        _check_question(number, one)


def _check_question(number: int, one: dict) -> None:
    if one["type"] not in SURVEY_TYPES:
        raise Refused({"error": f"'{one['type']}' in survey question {number} is not an allowed question type."})
    default = one.get("default", "")
    if default != "" and not isinstance(default, SURVEY_TYPES[one["type"]]):
        raise Refused({"error": f"Default value {default} in survey question {number} expected to be {one['type']}."})
    if any(one.get(key) is not None and not isinstance(one[key], int) for key in ("min", "max")):
        raise Refused({"error": f"The min or max limit in survey question {number} expected to be integer."})
    if one["type"] in ("multiplechoice", "multiselect"):
        if not one.get("choices"):
            raise Refused({"error": f"Survey question {number} of type {one['type']} must specify choices."})
        if any(each not in _choices(one) for each in str(default).splitlines()):
            raise Refused({"error": "Default choice must be answered from the choices listed."})


def _choices(question: dict) -> list:
    return question["choices"].split("\n") if isinstance(question["choices"], str) else question["choices"]


def answer_errors(question: dict, given: dict) -> list[str]:
    """What the API has against the answer to one question; a default of a required one counts for nothing."""
    name = question["variable"]
    if name not in given:
        return [f"'{name}' value missing"] if question["required"] else []
    value = given[name]
    if question["type"] == "multiplechoice":
        return [] if value in _choices(question) else [f"Value {value} for '{name}' expected to be one of {_choices(question)}."]
    if question["type"] in ("text", "textarea", "password"):
        if not isinstance(value, str):
            return [f"Value {value} for '{name}' expected to be a string."]
        low, high = question.get("min") or 0, question.get("max")
        return [] if low <= len(value) and (high is None or len(value) <= high) else [f"'{name}' value {value} is too small or too large."]
    return [] if isinstance(value, SURVEY_TYPES[question["type"]]) and not isinstance(value, bool) else [f"Value {value} for '{name}' is of a wrong type."]


def accepted(template: dict, given: dict, required: bool = True) -> dict:
    """The variables that a job of this template has.

    :raises Refused: as the API refuses to start it.
    """
    questions = template.get("survey", {}).get("spec", []) if template["survey_enabled"] else []
    errors = [error for one in questions for error in answer_errors(one, given) if required or "value missing" not in error]
    more = sorted(set(given) - {one["variable"] for one in questions})
    told: dict = {"variables_needed_to_start": errors} if errors else {}
    if more and not template["ask_variables_on_launch"]:
        told["extra_vars"] = [f"Variables {', '.join(more)} are not allowed on launch."]
    if told:
        raise Refused(told)
    filled = {one["variable"]: one["default"] for one in questions if "default" in one and not answer_errors(one, {one["variable"]: one["default"]})}
    return {**filled, **given}


class Controller:
    """The objects, by endpoint and id."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[int, dict]] = {name: {} for name in TYPES}
        self.written: list[tuple[str, str]] = []
        self.last = 0

    def add(self, endpoint: str, given: dict) -> dict:
        """Create an object as the API does."""
        self.last += 1
        url = f"{API}{endpoint}/{self.last}/"
        # The API keeps its own empty value of a field that is given as null.
        made = {**DEFAULTS.get(endpoint, {}), **{key: value for key, value in given.items() if key != "survey" and not (key == "kind" and value is None)}}
        made.update(id=self.last, type=TYPES[endpoint], url=url, summary_fields={}, links={})
        made["related"] = {"survey_spec": url + "survey_spec/", "update": url + "update/"}
        self._check(endpoint, made)
        self.kept[endpoint][self.last] = made
        return made

    def change(self, endpoint: str, number: int, given: dict) -> dict:
        """Patch an object."""
        changed = {**self.kept[endpoint][number], **{key: "" if key == "kind" and value is None else value for key, value in given.items()}}
        self._check(endpoint, changed)
        self.kept[endpoint][number] = changed
        return changed

    def _check(self, endpoint: str, one: dict) -> None:
        if endpoint == "inventory_sources" and one.get("credential"):
            kind = self.kept["credential_types"][self.kept["credentials"][one["credential"]]["credential_type"]]["kind"]
            if kind == "vault":
                raise Refused({"credential": ["Credentials of type vault are disallowed for inventory sources."]})
        template = self.unified(one.get("unified_job_template"))
        if template and template["type"] in ("job_template", "workflow_job_template") and endpoint in ("schedules", "workflow_job_template_nodes"):
            accepted(template, one.get("extra_data") or {}, required=endpoint == "schedules")

    def unified(self, number: int | None) -> dict | None:
        """A template of any kind."""
        return next((self.kept[name][number] for name in UNIFIED if number in self.kept[name]), None)

    def named(self, endpoint: str, name: str) -> dict:
        """An object by its name."""
        return next(one for one in self.kept[endpoint].values() if one.get("name", one.get("identifier")) == name)

    def search(self, endpoint: str, query: dict) -> list[dict]:
        """The objects that a list view shows."""
        places = UNIFIED if endpoint == "unified_job_templates" else (endpoint,)
        found = [one for name in places for one in self.kept[name].values()]
        for key, value in query.items():
            if key.startswith("or__") or key in ("page_size", "order_by"):
                continue
            if key == "workflow_job_template__name":
                found = [one for one in found if self.kept["workflow_job_templates"][one["workflow_job_template"]]["name"] == value]
            else:
                found = [one for one in found if str(one.get(key)) == value]
        return found

    def link(self, owner: dict, kind: str, given: dict) -> None:
        """Associate or disassociate."""
        linked = owner["links"].setdefault(kind, [])
        if given.get("disassociate"):
            linked.remove(given["id"])
            return
        if kind == "credentials":
            types = [self.kept["credentials"][one]["credential_type"] for one in linked]
            if self.kept["credentials"][given["id"]]["credential_type"] in types:
                raise Refused({"error": "Cannot assign multiple credentials of one type."})
        linked.append(given["id"])

    def credentials_of(self, template: str) -> set[str]:
        """Names of the credentials that a job template carries."""
        return {self.kept["credentials"][one]["name"] for one in self.named("job_templates", template)["links"].get("credentials", [])}

    def launch(self, endpoint: str, name: str, given: dict) -> dict:
        """The variables of a job that is launched.

        :raises Refused: the API's answer 400.
        """
        return accepted(self.named(endpoint, name), given)


def played(controller: Controller, workflow: str, fails: set[str], given: dict) -> tuple[str, dict[str, dict]]:
    """What a workflow comes to where the jobs of the nodes in ``fails`` fail: its status, and the variables of each node's job that ran.

    Workflow variables reach every job; a failed node without a node after its failure fails the workflow, one with such a node does not.
    """
    flow = controller.named("workflow_job_templates", workflow)
    common = accepted(flow, given)
    nodes = {key: one for key, one in controller.kept["workflow_job_template_nodes"].items() if one["workflow_job_template"] == flow["id"]}
    after = {key: {kind: list(one["links"].get(kind, [])) for kind in LINKS} for key, one in nodes.items()}
    todo = [key for key in nodes if not any(key in kind for links in after.values() for kind in links.values())]
    ran: dict[str, dict] = {}
    failed = False
    while todo:
        key = todo.pop(0)
        node = nodes[key]
        if node["identifier"] in ran:
            continue
        template = controller.unified(node["unified_job_template"])
        assert template is not None
        ran[node["identifier"]] = {**(accepted(template, {**node["extra_data"]}, required=False) if template["type"] == "job_template" else {}), **common}
        lost = node["identifier"] in fails
        following = after[key]["failure_nodes" if lost else "success_nodes"] + after[key]["always_nodes"]
        failed |= lost and not following
        todo += following
    return "failed" if failed else "successful", ran


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
        if more in ASSOCIATIONS:
            ids = owner["links"].get(more, [])
            if method == "GET":
                return self._list([{"id": one} for one in ids])
            known.link(owner, more, given)
            return self._answer(204, None)
        if more == "survey_spec":
            if method == "POST":
                check_survey(given)
                owner["survey"] = given
            return self._answer(200, owner.get("survey", {}))
        if more == "create_approval_template":
            made = known.add("workflow_approval_templates", given)
            owner["unified_job_template"] = made["id"]
            owner["related"]["unified_job_template"] = made["url"]
            return self._answer(201, made)
        if more == "update":
            made = known.add("inventory_updates", {"status": "successful", "finished": "now", "failed": False, "event_processing_finished": True})
            return self._answer(202, made)
        if method == "GET":
            return self._answer(200, owner) if number else self._list(known.search(endpoint, dict(parse_qsl(urlsplit(self.path).query))))
        if method == "DELETE":
            del known.kept[endpoint][number]
            for one in known.kept["workflow_job_template_nodes"].values():
                for kind in LINKS:
                    one["links"][kind] = [each for each in one["links"].get(kind, []) if each != number]
            return self._answer(204, None)
        return self._answer(200, known.change(endpoint, number, given)) if number else self._answer(201, known.add(endpoint, given))

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
