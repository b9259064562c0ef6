# SPDX-License-Identifier: GPL-3.0-or-later
"""Module options that the inventory decides: ``module_defaults`` of the action groups in ``meta/runtime.yml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import UsageError
from .mirrors import topics_pattern
from .positions import positions_topic

Region = dict[str, Any]
CONNECT = ("urls", "username", "ca_pem", "certificate_pem")
CONNECT_SECRETS = ("password", "key_pem", "key_password")


def client_options(region: Region) -> dict[str, Any]:
    """``client`` and ``client_secrets`` of a region: what modules of the group ``kafka`` are told.

    :raises UsageError: the region has no client.
    """
    if region.get("kafka_dr_client") is None:
        raise UsageError(
            f"Region {region.get('inventory_hostname', '')} has no client",
            expected="kafka_dr_client, from the inventory or from the region's platform",
            found="none",
            remedy="Give kafka_dr_client of the region in the inventory",
        )
    return {"client": region["kafka_dr_client"], "client_secrets": region.get("kafka_dr_client_secrets") or {}}


def mirror_options(mirror: dict[str, Any], regions: Mapping[str, Region]) -> dict[str, Any]:
    """What modules of the group ``mirror`` are told of a mirror, but for the client of its source, which may be lost.

    :param regions: hostvars.
    :raises UsageError: the target has no client, or the mirror cannot be used.
    """
    target = client_options(regions[mirror["target"]])
    return {
        "target_client": target["client"],
        "target_client_secrets": target["client_secrets"],
        "source_alias": mirror["source"],
        "target_alias": mirror["target"],
        "policy": mirror.get("policy") or "identity",
        "separator": mirror.get("separator") or ".",
        "topics": topics_pattern(mirror),
        "positions_topic": positions_topic(mirror, regions),
    }


def connect_options(region: Region) -> dict[str, Any]:
    """How the REST interface of a region's Connect cluster is reached: options of the group ``connect``."""
    described, secrets = region.get("kafka_dr_connect") or {}, region.get("kafka_dr_connect_secrets") or {}
    return {
        **{key: described[key] for key in CONNECT if key in described},
        **{key: secrets[key] for key in CONNECT_SECRETS if key in secrets},
    }
