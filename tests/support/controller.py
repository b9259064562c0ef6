# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the API of AWX 24.6, on loopback: objects, surveys, credentials and workflows by the rules that the
real one showed.

What it does not do is run jobs: :func:`launch` says how the API answers a launch, :func:`played` what a workflow comes
to when some of its jobs fail.
"""

from __future__ import annotations

from .controller_surveys import Refused, accepted

API = "/api/v2/"
LINKS = ("success_nodes", "failure_nodes", "always_nodes")
ASSOCIATIONS = (*LINKS, "credentials", "galaxy_credentials", "instance_groups", "labels")
TYPES = {
    "organizations": "organization",
    "execution_environments": "execution_environment",
    "credential_types": "credential_type",
    "credentials": "credential",
    "projects": "project",
    "inventories": "inventory",
    "inventory_sources": "inventory_source",
    "job_templates": "job_template",
    "schedules": "schedule",
    "workflow_job_templates": "workflow_job_template",
    "workflow_job_template_nodes": "workflow_job_template_node",
    "workflow_approval_templates": "workflow_approval_template",
    "inventory_updates": "inventory_update",
}
UNIFIED = ("projects", "inventory_sources", "job_templates", "workflow_job_templates", "workflow_approval_templates")
# What the API answers for fields that were not given.
DEFAULTS = {
    "projects": {"scm_revision": "0"},
    "inventories": {"kind": "", "host_filter": None},
    "schedules": {"extra_data": {}},
    "job_templates": {"ask_variables_on_launch": False, "survey_enabled": False},
    "workflow_job_templates": {"ask_variables_on_launch": False, "survey_enabled": False},
    "workflow_job_template_nodes": {"extra_data": {}, "job_type": None, "unified_job_template": None},
}


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
        made = {
            **DEFAULTS.get(endpoint, {}),
            **{key: value for key, value in given.items() if key != "survey" and not (key == "kind" and value is None)},
        }
        made.update(id=self.last, type=TYPES[endpoint], url=url, summary_fields={}, links={})
        made["related"] = {"survey_spec": url + "survey_spec/", "update": url + "update/"}
        self._check(endpoint, made)
        self.kept[endpoint][self.last] = made
        return made

    def change(self, endpoint: str, number: int, given: dict) -> dict:
        """Patch an object."""
        changed = {
            **self.kept[endpoint][number],
            **{key: "" if key == "kind" and value is None else value for key, value in given.items()},
        }
        self._check(endpoint, changed)
        self.kept[endpoint][number] = changed
        return changed

    def _check(self, endpoint: str, one: dict) -> None:
        if endpoint == "inventory_sources" and one.get("credential"):
            kind = self.kept["credential_types"][self.kept["credentials"][one["credential"]]["credential_type"]]["kind"]
            if kind == "vault":
                raise Refused({"credential": ["Credentials of type vault are disallowed for inventory sources."]})
        template = self.unified(one.get("unified_job_template"))
        if (
            template
            and template["type"] in ("job_template", "workflow_job_template")
            and endpoint in ("schedules", "workflow_job_template_nodes")
        ):
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
                found = [
                    one
                    for one in found
                    if self.kept["workflow_job_templates"][one["workflow_job_template"]]["name"] == value
                ]
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
        return {
            self.kept["credentials"][one]["name"]
            for one in self.named("job_templates", template)["links"].get("credentials", [])
        }

    def launch(self, endpoint: str, name: str, given: dict) -> dict:
        """The variables of a job that is launched.

        :raises Refused: the API's answer 400.
        """
        template = self.named(endpoint, name)
        project = self.kept["projects"].get(template.get("project"), {})
        if project.get("status") == "failed" and not project["scm_update_on_launch"]:
            raise Refused({"playbook": ["Missing a revision to run due to failed project update."]})
        return accepted(template, given)

    def run_schedules_without_git(self) -> None:
        """What is scheduled runs once while the Git server does not answer: an update of a project fails then."""
        for schedule in self.kept["schedules"].values():
            template = self.unified(schedule["unified_job_template"])
            if template is not None and template["type"] == "project":
                template["status"] = "failed"


def played(controller: Controller, workflow: str, fails: set[str], given: dict) -> tuple[str, dict[str, dict]]:
    """What a workflow comes to where the jobs of the nodes in ``fails`` fail: its status, and the variables of each
    node's job that ran.

    Workflow variables reach every job; a failed node without a node after its failure fails the workflow, one with such
    a node does not.
    """
    flow = controller.named("workflow_job_templates", workflow)
    common = accepted(flow, given)
    nodes = {
        key: one
        for key, one in controller.kept["workflow_job_template_nodes"].items()
        if one["workflow_job_template"] == flow["id"]
    }
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
        ran[node["identifier"]] = {
            **(
                accepted(template, {**node["extra_data"]}, required=False) if template["type"] == "job_template" else {}
            ),
            **common,
        }
        lost = node["identifier"] in fails
        following = after[key]["failure_nodes" if lost else "success_nodes"] + after[key]["always_nodes"]
        failed |= lost and not following
        todo += following
    return "failed" if failed else "successful", ran
