# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties file of a dedicated MirrorMaker 2 (``connect-mirror-maker``), for one or several mirrors.

Secrets are never in the file: they are references to a second file (KIP-297 ``FileConfigProvider``), which stay
references also in MirrorMaker 2's own configuration topics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .._errors import UsageError
from .java_client import java_client, secret_text
from .mirror_config import checked, connector_configs, patterns_told
from .names import unreadable

# The REST server of the process looks for plugins too, and reads these without the target's prefix.
PLUGINS = ("plugin.path", "plugin.discovery")
QUANTIFIER = re.compile(r"(?<!\\)\{\d*,\d*\}")


def mirror_properties(
    mirrors: list[dict[str, Any]] | dict[str, Any],
    clients: dict[str, dict[str, Any]],
    secrets_file: str,
    rest_port: int | None = None,
    rest_host: str = "127.0.0.1",
) -> dict[str, str]:
    """Properties of one dedicated MirrorMaker 2 process.

    :param mirrors: mirror descriptions (``kafka_dr_mirrors``), or one.
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's own principal in each region.
    :param secrets_file: path on the host of the properties file that holds the secrets (see :func:`mirror_secrets`).
    :param rest_port: port of the internal REST interface, needed for exactly-once.
    :returns: ``{property: value}``, ordered.
    :raises UsageError: a region has no client, or two mirrors disagree about the same worker.
    """
    described = [checked(mirror) for mirror in ([mirrors] if isinstance(mirrors, dict) else mirrors)]
    regions = list(dict.fromkeys(mirror[side] for mirror in described for side in ("source", "target")))
    missing = [region for region in regions if region not in clients]
    if missing:
        raise UsageError(
            f"No Kafka client is described for region {', '.join(missing)}",
            remedy="Set kafka_dr_client for it in the inventory",
        )
    properties = {
        "clusters": ", ".join(regions),
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
    }
    for region in regions:
        for key, value in java_client(clients[region], _reference(secrets_file, region)).items():
            properties[f"{region}.{key}"] = value
    for mirror in described:
        _add_mirror(properties, mirror)
    _disable_other_flows(properties, regions)
    if any(mirror["exactly_once"] for mirror in described):
        properties["dedicated.mode.enable.internal.rest"] = "true"
        properties["listeners"] = f"http://{rest_host}:{rest_port or 0}"
    return properties


def _disable_other_flows(properties: dict[str, str], regions: list[str]) -> None:
    """MirrorMaker 2 starts also a pair that is not named, for its heartbeats."""
    for source in regions:
        for target in regions:
            flow = f"{source}->{target}"
            if source != target and flow + ".enabled" not in properties:
                properties[flow + ".enabled"] = "false"
                properties[flow + ".emit.heartbeats.enabled"] = "false"


def _reference(secrets_file: str, region: str) -> Callable[[str], str]:
    return lambda key: f"${{file:{secrets_file}:{region}.{key}}}"


def _add_mirror(properties: dict[str, str], mirror: dict[str, Any]) -> None:
    flow = f"{mirror['source']}->{mirror['target']}"
    if flow + ".enabled" in properties:
        raise UsageError(f"Two mirrors copy {flow}", remedy="Put their topics into one description")
    configs = connector_configs(mirror)
    properties[flow + ".enabled"] = "true"
    for setting, patterns in patterns_told(mirror).items():
        properties[f"{flow}.{setting}"] = ",".join(pattern_text(pattern, mirror["name"]) for pattern in patterns)
    for side in ("source", "checkpoint", "heartbeat"):
        for key, value in configs[side].items():
            # A dedicated MirrorMaker 2 has one set of settings for the three connectors of a flow.
            _set(
                properties, f"{flow}.{key}", value, f"The connectors of mirror '{mirror['name']}' disagree about {key}"
            )
    for key, value in configs["worker"].items():
        # The worker of a dedicated MirrorMaker 2 belongs to the target; without its prefix exactly-once is silently
        # ignored.
        _set(
            properties,
            f"{mirror['target']}.{key}",
            value,
            f"Mirrors into region '{mirror['target']}' disagree about {key}",
        )
        if key in PLUGINS:
            _set(properties, key, value, f"Mirrors in one process disagree about {key}")


def _set(properties: dict[str, str], name: str, value: str, complaint: str) -> None:
    if properties.get(name, value) != value:
        raise UsageError(
            complaint,
            expected="one value for both, in one process",
            found=f"{properties[name]} and {value}",
            remedy="Give both the same value, or run them as two mirrors on two services",
        )
    properties[name] = value


def pattern_text(pattern: str, name: str) -> str:
    """A pattern as one item of a list: MirrorMaker 2 splits at every comma, so a literal one becomes its code point.

    :raises UsageError: a comma inside a quantifier, which nothing can save, or an expression that is
        :func:`.names.unreadable`.
    """
    if QUANTIFIER.search(pattern):
        raise UsageError(
            f"Mirror '{name}' has the pattern '{pattern}'",
            expected="no comma inside a quantifier",
            found="MirrorMaker 2 splits patterns at every comma",
            remedy="Write a{1,2} as aa?, and a{1,} as a+",
        )
    if reason := unreadable(pattern):
        raise UsageError(f"Mirror '{name}' has the pattern '{pattern}'", expected="a regular expression", found=reason)
    return pattern.replace("\\,", ",").replace(",", "\\x2c")


def mirror_secrets(secrets: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Content of the secrets file: ``{"<region>.<key>": value}`` from ``{region: client secrets}``.

    :raises UsageError: a private key that Java cannot read.
    """
    return {
        f"{region}.{key}": secret_text(key, value)
        for region, keys in secrets.items()
        for key, value in (keys or {}).items()
        if value is not None
    }


ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}


def render_properties(properties: dict[str, Any]) -> str:
    """A ``.properties`` file's text, ASCII only: MirrorMaker 2 reads it as ``java.util.Properties`` does, in ISO
    8859-1.
    """
    return "".join(f"{_escaped(key, ' :=#!')}={_escaped(value, '', first=' ')}\n" for key, value in properties.items())


def _escaped(text: str, special: str, first: str = "") -> str:
    letters = []
    for at, letter in enumerate(str(text)):
        if letter in ESCAPES:
            letters.append(ESCAPES[letter])
        elif letter in special or (at == 0 and first and letter in first):
            letters.append("\\" + letter)
        elif " " <= letter <= "~":
            letters.append(letter)
        else:
            # Beyond the basic plane Java wants the two halves of UTF-16.
            wide = letter.encode("utf-16-be")
            letters += [f"\\u{int.from_bytes(wide[half : half + 2], 'big'):04x}" for half in range(0, len(wide), 2)]
    return "".join(letters)


def parse_properties(text: str) -> dict[str, str]:
    """``{key: value}`` of a properties file's text, as ``java.util.Properties.load`` reads it; the last of equal keys
    wins.
    """
    properties = {}
    for line in _logical_lines(text):
        key, value = _split(line)
        properties[_unescaped(key)] = _unescaped(value)
    return properties


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw.lstrip(" \t\f")
        if not pending and (not line or line[0] in "#!"):
            continue
        line = pending + line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending = line[:-1]
            continue
        pending = ""
        yield line
    if pending:
        yield pending


def _split(line: str) -> tuple[str, str]:
    escaped = False
    for at, letter in enumerate(line):
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter in "=: \t\f":
            rest = line[at:].lstrip(" \t\f")
            return line[:at], rest[1:].lstrip(" \t\f") if rest[:1] in ("=", ":") else rest
    return line, ""


def _unescaped(text: str) -> str:
    letters, at = [], 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            following = text[at + 1]
            if following == "u" and len(text) >= at + 6:
                letters.append(chr(int(text[at + 2 : at + 6], 16)))
                at += 6
                continue
            letter = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}.get(following, following)
            at += 1
        letters.append(letter)
        at += 1
    return "".join(letters).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
