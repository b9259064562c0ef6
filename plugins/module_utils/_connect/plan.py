# SPDX-License-Identifier: GPL-3.0-or-later
"""One connector: what it is, what it is to be, and the steps between."""

from __future__ import annotations

from typing import Any

from .._errors import RefusedError, UsageError
from .connectors import STATES, Connectors, failures
from .masks import shown, shown_pair, texts


class Plan:
    """One connector: what it is, what it is to be, and the steps between."""

    def __init__(
        self, described: dict[str, Any], state: str, found: dict[str, Any] | None, connectors: Connectors
    ) -> None:
        self.name, self.found = described["name"], found
        self.state = described.get("state") or state
        self.config, self.secret_keys = _settings(described)
        self.wanted_offsets = described.get("offsets") or []
        self.reset = bool(described.get("reset_offsets"))
        self._check(found)
        gone = self.state == "absent"
        if self.config:
            self.config["name"] = self.name
        self.create = found is None and not gone
        self.delete = found is not None and gone
        self.update = found is not None and not gone and bool(self.config) and found["config"] != self.config
        self.bring = found is not None and not gone and _state_kept(found) != STATES[self.state]
        # New settings do not wake a task that has failed, unless they change its own.
        self.restart = found is not None and self.state == "running" and bool(failures(found))
        self.offsets_before = connectors.offsets(self.name) if found and (self.reset or self.wanted_offsets) else []
        self.reset = self.reset and any(
            not any(_same(before, wanted) for wanted in self.wanted_offsets) for before in self.offsets_before
        )
        left = [] if self.reset else self.offsets_before
        self.alter = [wanted for wanted in self.wanted_offsets if _differs(wanted, left)]
        self.failed_since: float | None = None

    def _check(self, found: dict[str, Any] | None) -> None:
        if self.state == "absent" and (self.wanted_offsets or self.reset):
            raise UsageError(
                f"Connector '{self.name}' is to be absent and has offsets",
                expected="one of both",
                remedy="Reset its offsets first, then delete it",
            )
        if (self.wanted_offsets or self.reset) and self.state != "stopped":
            raise UsageError(
                f"Offsets of connector '{self.name}' cannot be set",
                found=self.state,
                expected="state stopped, since Connect sets offsets of stopped connectors only",
                remedy="Set them with state stopped, and start it in a second task",
            )
        if self.config and not self.config.get("connector.class"):
            raise UsageError(f"Connector '{self.name}' has no connector.class", remedy="Give it in config")
        if found is None and self.state != "absent" and not self.config:
            raise RefusedError(
                f"Connector '{self.name}' does not exist",
                expected="config, so that it can be created",
                remedy="Give config, or correct its name",
            )

    @property
    def changed(self) -> bool:
        return bool(self.create or self.delete or self.update or self.bring or self.restart or self.reset or self.alter)

    def sides(self, connectors_secret: set[str]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """``(before, after)`` for a difference."""
        secret_keys = self.secret_keys | connectors_secret
        before: dict[str, Any] | None = None
        after: dict[str, Any] | None = None
        if self.found is not None:
            before = {"state": self.found["state"], "config": self.found["config"]}
        if self.state != "absent":
            after = {"state": self.state.upper(), "config": self.config or (self.found or {})["config"]}
        if before and after:
            left, right = shown_pair(before["config"], after["config"], secret_keys)
        else:
            left, right = (shown(side["config"], secret_keys) if side else {} for side in (before, after))
        if before:
            before["config"] = left
        if after:
            after["config"] = right
        if self.reset or self.alter:
            kept = (
                []
                if self.reset
                else [
                    position for position in self.offsets_before if not any(_same(position, new) for new in self.alter)
                ]
            )
            if before:
                before["offsets"] = self.offsets_before
            if after:
                after["offsets"] = kept + [position for position in self.alter if position["offset"] is not None]
        return before, after


def _settings(described: dict[str, Any]) -> tuple[dict[str, str], set[str]]:
    """The connector's settings, and which of them are secrets."""
    name = described["name"]
    secrets = texts(described.get("config_secrets"), f"connector '{name}'")
    config = texts(described.get("config"), f"connector '{name}'")
    twice = sorted(set(secrets) & set(config))
    if twice:
        raise UsageError(
            f"Connector '{name}' has {', '.join(twice)} twice", expected="config or config_secrets", found="both"
        )
    return {**config, **secrets}, set(secrets)


def _state_kept(found: dict[str, Any]) -> str:
    # A connector that failed is on its way to RUNNING as far as Connect is concerned: it is restarted, not resumed.
    return "RUNNING" if found["state"] in ("FAILED", "UNASSIGNED", "RESTARTING") else str(found["state"])


def _same(position: dict[str, dict[str, Any]], other: dict[str, Any]) -> bool:
    return position["partition"] == other["partition"]


def _differs(wanted: dict[str, Any], have: list[dict[str, dict[str, Any]]]) -> bool:
    found = next((position["offset"] for position in have if _same(position, wanted)), None)
    return found != wanted["offset"]


def check_classes(known: dict[str, str], plans: list[Plan]) -> None:
    for plan in plans:
        wanted = plan.config["connector.class"]
        # Connect takes the short name too, with or without "Connector" (PluginUtils.prunedName).
        names = {
            form
            for class_name in known
            for form in (
                class_name,
                class_name.rpartition(".")[2],
                class_name.rpartition(".")[2].removesuffix("Connector"),
            )
        }
        if wanted not in names:
            raise UsageError(
                f"The workers have no plugin for connector '{plan.name}'",
                expected=", ".join(sorted(known)),
                found=wanted,
                remedy="Correct connector.class, or install the plugin on each worker",
            )
