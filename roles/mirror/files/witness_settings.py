# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness's configuration file."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any

# As described for the program, with defaults filled in and patterns compiled.
Config = dict[str, Any]

# The same groups that MirrorMaker 2 leaves out (groups.exclude), except that names beginning with __ may be wanted.
DEFAULTS: Config = {
    "groups": ".*",
    "topics": ".*",
    "groups_exclude": "console-consumer-.*,connect-.*,__.*",
    "interval_seconds": 2,
    "topic": "__kafka_dr_positions",
}
# A region that comes back is to be seen at once, not after librdkafka's 10 s.
QUIET: Config = {"log_level": 0, "error_cb": lambda error: None, "reconnect.backoff.max.ms": 1000}
PATTERNS = ("groups", "groups_exclude", "topics")
KNOWN = {"source", "target", "source_cluster", "mirror", "succeeds", *DEFAULTS}


class ConfigError(Exception):
    """The configuration cannot be used; the text says why."""


def read_config(path: str) -> Config:
    """The configuration with defaults filled in and patterns compiled. :raises ConfigError: it cannot be used."""
    config = _load(path)
    if not isinstance(config, dict) or set(config) - KNOWN:
        raise ConfigError(f"{path}: expected an object with the keys {', '.join(sorted(KNOWN))}")
    for side in ("source", "target"):
        if not (isinstance(config.get(side), dict) and config[side].get("bootstrap.servers")):
            raise ConfigError(f"{path}: {side} has no bootstrap.servers")
    config = {**DEFAULTS, **config}
    if not (isinstance(config["interval_seconds"], (int, float)) and config["interval_seconds"] > 0):
        raise ConfigError(f"{path}: interval_seconds is to be a number above 0")
    if not isinstance(config.get("source_cluster", ""), str):
        raise ConfigError(f"{path}: source_cluster is to be a cluster's id")
    names = [config.get("mirror", ""), *_listed(config.get("succeeds", []))]
    if not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{path}: mirror is to be source->target, and succeeds a list of such names")
    try:
        for key in PATTERNS:
            config[key] = [re.compile(part.strip()) for part in (config[key] or "").split(",") if part.strip()]
    except (re.error, AttributeError) as error:
        raise ConfigError(
            f"{path}: groups, groups_exclude and topics are to be regular expressions separated by commas: {error}"
        ) from error
    return config


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]


def _load(path: str) -> Any:
    """The file's content, which holds secrets: nobody else may read it."""
    try:
        with open(path, encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise ConfigError(
                    f"{path} holds secrets and is readable by others: expected mode 0600, found {mode:04o}. "
                    "Run chmod 600 on it."
                )
            return json.load(file)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error
