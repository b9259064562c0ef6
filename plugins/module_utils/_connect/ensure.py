# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The work of ``connect_connectors``: plan everything, let the workers judge it, then do it, then wait for all of it together."""

from __future__ import annotations

import time

from .._errors import KafkaDrError, RefusedError, TimedOutError, UsageError
from .connectors import STATES, Connectors, failures, missing_for, reason, told_tasks
from .http import Workers
from .masks import shown, shown_pair, texts

# For so long a connector must have been as wanted, since its state is still the old one for a moment after a change.
STEADY = 2.0
PAUSE = 0.5


class _Plan:
    """One connector: what it is, what it is to be, and the steps between."""

    def __init__(self, described, state, found, connectors):
        self.name, self.found = described["name"], found
        self.state = described.get("state") or state
        secrets = texts(described.get("config_secrets"), "connector '%s'" % self.name)
        self.config = texts(described.get("config"), "connector '%s'" % self.name)
        self.secret_keys = set(secrets)
        twice = sorted(set(secrets) & set(self.config))
        if twice:
            raise UsageError("Connector '%s' has %s twice" % (self.name, ", ".join(twice)), expected="config or config_secrets", found="both")
        self.config.update(secrets)
        self.wanted_offsets = described.get("offsets") or []
        self.reset = bool(described.get("reset_offsets"))
        self._check(found)
        gone = self.state == "absent"
        if self.config:
            self.config["name"] = self.name
        self.create = found is None and not gone
        self.delete = found is not None and gone
        self.update = found is not None and not gone and bool(self.config) and found["config"] != self.config
        # A connector that failed is on its way to RUNNING as far as Connect is concerned: it is restarted, not resumed.
        kept = "RUNNING" if found and found["state"] in ("FAILED", "UNASSIGNED", "RESTARTING") else found["state"] if found else None
        self.bring = found is not None and not gone and kept != STATES[self.state]
        # New settings do not wake a task that has failed, unless they change its own.
        self.restart = found is not None and self.state == "running" and bool(failures(found))
        self.offsets_before = connectors.offsets(self.name) if found and (self.reset or self.wanted_offsets) else []
        self.reset = self.reset and any(not any(_same(one, wanted) for wanted in self.wanted_offsets) for one in self.offsets_before)
        self.alter = [one for one in self.wanted_offsets if _differs(one, [] if self.reset else self.offsets_before)]
        self.failed_since = None

    def _check(self, found):
        if self.state == "absent" and (self.wanted_offsets or self.reset):
            raise UsageError("Connector '%s' is to be absent and has offsets" % self.name, expected="one of both",
                             remedy="Reset its offsets first, then delete it")
        if (self.wanted_offsets or self.reset) and self.state != "stopped":
            raise UsageError("Offsets of connector '%s' cannot be set" % self.name, found=self.state,
                             expected="state stopped, since Connect sets offsets of stopped connectors only",
                             remedy="Set them with state stopped, and start it in a second task")
        if self.config and not self.config.get("connector.class"):
            raise UsageError("Connector '%s' has no connector.class" % self.name, remedy="Give it in config")
        if found is None and self.state != "absent" and not self.config:
            raise RefusedError("Connector '%s' does not exist" % self.name, expected="config, so that it can be created",
                               remedy="Give config, or correct its name")

    @property
    def changed(self):
        return bool(self.create or self.delete or self.update or self.bring or self.restart or self.reset or self.alter)

    def sides(self, connectors_secret):
        """``(before, after)`` for a difference."""
        secret_keys = self.secret_keys | connectors_secret
        before = after = None
        if self.found is not None:
            before = {"state": self.found["state"], "config": self.found["config"]}
        if self.state != "absent":
            after = {"state": self.state.upper(), "config": self.config or self.found["config"]}
        if before and after:
            left, right = shown_pair(before["config"], after["config"], secret_keys)
        else:
            left, right = (shown(one["config"], secret_keys) if one else {} for one in (before, after))
        if before:
            before["config"] = left
        if after:
            after["config"] = right
        if self.reset or self.alter:
            kept = [] if self.reset else [one for one in self.offsets_before if not any(_same(one, new) for new in self.alter)]
            if before:
                before["offsets"] = self.offsets_before
            after["offsets"] = kept + [one for one in self.alter if one["offset"] is not None]
        return before, after


def _same(one, other):
    return one["partition"] == other["partition"]


def _differs(wanted, have):
    found = next((one["offset"] for one in have if _same(one, wanted)), None)
    return found != wanted["offset"]


def ensure_connectors(params, check_mode):
    """Bring connectors to their configuration, state and offsets.

    :param params: the options of ``connect_connectors``.
    :returns: ``changed``, the lists ``created updated deleted moved restarted offsets_set`` of names, ``connectors{name: {state, tasks[]}}``, ``diff``.
    :raises KafkaDrError: an input is wrong (nothing was changed), a task failed, or it did not become so in time.
    """
    described = params["connectors"]
    hidden = [str(value) for one in described for value in (one.get("config_secrets") or {}).values() if value not in (None, "")]
    workers = Workers(params, hidden)
    connectors = Connectors(workers)
    names = [one["name"] for one in described]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError("Connector %s is described twice" % ", ".join(twice), expected="each once")
    every = connectors.every()
    plans = [_Plan(one, params["state"], every.get(one["name"]), connectors) for one in described]
    secret_keys = {plan.name: set() for plan in plans}
    judged = [plan for plan in plans if plan.create or plan.update]
    if judged:
        _check_classes(connectors.plugins(), judged)
        for plan in judged:
            secret_keys[plan.name] = connectors.validate(plan.config)
    for plan in plans:
        if plan.restart and not plan.update and not params["restart_failed"]:
            _complain(plan.name, plan.found, workers, "Restart it with restart_failed=true once the cause is gone")
    result = _result(plans, secret_keys)
    if workers.warnings():
        result["warnings"] = workers.warnings()
    if check_mode:
        result["connectors"] = {name: _state(every.get(name)) for name in names}
        return result
    for plan in plans:
        _act(connectors, plan, params["restart_failed"])
    # Offsets wait for what is not stopped yet.
    stopping = [plan for plan in plans if plan.reset or plan.alter]
    if stopping:
        _await(connectors, workers, stopping)
    for plan in stopping:
        _set_offsets(connectors, plan)
    seen = _await(connectors, workers, plans)
    result["connectors"] = {name: _state(seen.get(name)) for name in names}
    return result


def _result(plans, secret_keys):
    sides = [(plan, *plan.sides(secret_keys[plan.name])) for plan in plans if plan.changed]
    return {
        "changed": bool(sides),
        "created": [plan.name for plan in plans if plan.create],
        "updated": [plan.name for plan in plans if plan.update],
        "deleted": [plan.name for plan in plans if plan.delete],
        "moved": [plan.name for plan in plans if plan.bring],
        "restarted": [plan.name for plan in plans if plan.restart],
        "offsets_set": [plan.name for plan in plans if plan.reset or plan.alter],
        "diff": {"before": {plan.name: before for plan, before, dummy in sides if before},
                 "after": {plan.name: after for plan, dummy, after in sides if after}},
    }


def _check_classes(known, plans):
    for plan in plans:
        wanted = plan.config["connector.class"]
        # Connect takes the short name too, with or without "Connector" (PluginUtils.prunedName).
        names = {form for one in known for form in (one, one.rpartition(".")[2], one.rpartition(".")[2].removesuffix("Connector"))}
        if wanted not in names:
            raise UsageError("The workers have no plugin for connector '%s'" % plan.name, expected=", ".join(sorted(known)), found=wanted,
                             remedy="Correct connector.class, or install the plugin on each worker")


def _act(connectors, plan, restart_failed):
    if plan.delete:
        connectors.delete(plan.name)
    elif plan.create:
        connectors.create(plan.name, plan.config, plan.state)
    else:
        if plan.bring and plan.state != "running":
            # Stopped first, so that it never runs with the new settings.
            connectors.bring(plan.name, plan.state)
        if plan.update:
            connectors.configure(plan.name, plan.config)
        if plan.bring and plan.state == "running":
            connectors.bring(plan.name, plan.state)
        if plan.restart and restart_failed:
            connectors.restart_failed(plan.name)


def _set_offsets(connectors, plan):
    try:
        if plan.reset:
            connectors.reset_offsets(plan.name)
        if plan.alter:
            connectors.alter_offsets(plan.name, plan.alter)
    except TimedOutError as error:
        if not (plan.config or plan.found["config"]).get("offsets.storage.topic"):
            raise
        raise TimedOutError("Offsets of connector '%s' were not set" % plan.name, found=error.found,
                            remedy="Kafka 4.3.1 never ends the removal of an offset where the connector is exactly-once and has an offsets.storage.topic of "
                                   "its own: put it, stopped, without that setting and without producer.override.bootstrap.servers first") from error


def _await(connectors, workers, plans):
    """Until every connector is as planned, and stays so for a moment where something was done to it."""
    changed = [plan for plan in plans if plan.changed]
    since = None
    while True:
        seen = connectors.every()
        missing = {plan.name: missing_for(seen.get(plan.name), plan.state) for plan in plans}
        missing = {name: text for name, text in missing.items() if text}
        now = time.monotonic()
        if not missing:
            since = since or now
            if not changed or now - since >= STEADY or all(plan.delete for plan in changed):
                return seen
        else:
            since = None
            _look_at_failures(seen, plans, workers, now)
        if now > workers.deadline and missing:
            name, text = next(iter(missing.items()))
            if seen.get(name) and failures(seen[name]):
                _complain(name, seen[name], workers)
            raise TimedOutError("%d of %d connectors are not as wanted after %s s" % (len(missing), len(plans), workers.timeout),
                                expected="connector '%s': %s" % (name, text), found="; ".join("%s: %s" % one for one in missing.items()),
                                remedy="Look at the workers' logs")
        time.sleep(PAUSE)


def _look_at_failures(seen, plans, workers, now):
    """A failure that outlasts a restart's own moment is one; what was failed before is given time to go."""
    for plan in plans:
        one = seen.get(plan.name)
        if one is None or plan.state != "running" or not failures(one):
            plan.failed_since = None
            continue
        plan.failed_since = plan.failed_since or now
        if now - plan.failed_since >= (3 * STEADY if plan.restart or plan.update else STEADY):
            _complain(plan.name, one, workers)


def _complain(name, seen, workers, remedy="Correct its settings, or what it talks to, then run this again"):
    failed = [{"what": what, "reason": workers.hide(reason(trace))} for what, trace in failures(seen)]
    raise KafkaDrError("Connector '%s' has failed" % name, expected="it to run", found="%s: %s" % (failed[0]["what"], failed[0]["reason"]), remedy=remedy,
                       connector=name, failures=failed)


def _state(seen):
    if seen is None:
        return {"state": "ABSENT", "tasks": []}
    return {"state": seen["state"], "tasks": told_tasks(seen)}
