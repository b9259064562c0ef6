# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The properties file of a dedicated MirrorMaker 2 (``connect-mirror-maker``), for one or several mirrors.

Secrets are never in the file: they are references to a second file (KIP-297 ``FileConfigProvider``), which stay
references also in MirrorMaker 2's own configuration topics.
"""

from __future__ import annotations

from .._errors import UsageError
from .java_client import java_client
from .mirror_config import checked, connector_configs


def mirror_properties(mirrors, clients, secrets_file, rest_port=None, rest_host="127.0.0.1"):
    """Properties of one dedicated MirrorMaker 2 process.

    :param mirrors: list of mirror descriptions (``kafka_dr_mirrors``).
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's own principal in each region.
    :param secrets_file: path on the host of the properties file that holds the secrets (see :func:`mirror_secrets`).
    :param rest_port: port of the internal REST interface, needed for exactly-once.
    :returns: ``{property: value}``, ordered.
    :raises UsageError: a region has no client, or two mirrors disagree about the same worker.
    """
    described = [checked(mirror) for mirror in ([mirrors] if isinstance(mirrors, dict) else mirrors)]
    regions = []
    for mirror in described:
        regions += [region for region in (mirror["source"], mirror["target"]) if region not in regions]
    missing = [region for region in regions if region not in clients]
    if missing:
        raise UsageError("No Kafka client is described for region %s" % ", ".join(missing), remedy="Set kafka_dr_client for it in the inventory")
    made = {"clusters": ", ".join(regions), "config.providers": "file",
            "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider"}
    for region in regions:
        for key, value in java_client(clients[region], _reference(secrets_file, region)).items():
            made["%s.%s" % (region, key)] = value
    for mirror in described:
        _add_mirror(made, mirror)
    for source in regions:
        for target in regions:
            # A pair that is not named is still started, for its heartbeats; so name it.
            flow = "%s->%s" % (source, target)
            if source != target and flow + ".enabled" not in made:
                made[flow + ".enabled"] = "false"
                made[flow + ".emit.heartbeats.enabled"] = "false"
    if any(mirror["exactly_once"] for mirror in described):
        made["dedicated.mode.enable.internal.rest"] = "true"
        made["listeners"] = "http://%s:%s" % (rest_host, rest_port or 0)
    return made


def _reference(secrets_file, region):
    return lambda key: "${file:%s:%s.%s}" % (secrets_file, region, key)


def _add_mirror(made, mirror):
    flow = "%s->%s" % (mirror["source"], mirror["target"])
    if flow + ".enabled" in made:
        raise UsageError("Two mirrors copy %s" % flow, remedy="Put their topics into one description")
    configs = connector_configs(mirror)
    made[flow + ".enabled"] = "true"
    made[flow + ".topics"] = ", ".join(mirror["topics"])
    made[flow + ".topics.exclude"] = ", ".join(mirror["topics_exclude"])
    made[flow + ".groups"] = ", ".join(mirror["groups"])
    made[flow + ".groups.exclude"] = ", ".join(mirror["groups_exclude"])
    for side in ("source", "checkpoint", "heartbeat"):
        for key, value in configs[side].items():
            made["%s.%s" % (flow, key)] = value
    for key, value in configs["worker"].items():
        # The worker of a dedicated MirrorMaker 2 belongs to the target; without its prefix exactly-once is silently ignored.
        name = "%s.%s" % (mirror["target"], key)
        if made.get(name, value) != value:
            raise UsageError("Mirrors into region '%s' disagree about %s" % (mirror["target"], key), found="%s and %s" % (made[name], value))
        made[name] = value


def mirror_secrets(secrets):
    """Content of the secrets file: ``{"<region>.<key>": value}`` from ``{region: client secrets}``."""
    return {
        "%s.%s" % (region, key): value
        for region, keys in secrets.items() for key, value in (keys or {}).items() if value is not None
    }


def render_properties(properties):
    """A ``.properties`` file's text; backslashes and line breaks escaped as ``java.util.Properties`` reads them."""
    lines = []
    for key, value in properties.items():
        name = str(key).replace("\\", "\\\\").replace(":", "\\:").replace("=", "\\=").replace(" ", "\\ ")
        text = str(value).replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
        if text.startswith(" "):
            text = "\\" + text
        lines.append("%s=%s" % (name, text))
    return "\n".join(lines) + "\n"
