# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Which machines a stage needs."""

from __future__ import annotations

from ._applications import ROLES, application_batches, application_machines
from ._regions import hosts_with

ON_MACHINES = ("host", "managed", "connect")


def mirror_machines(regions, mirror):
    """Names of the machines that the mirror, or the witness beside it, is kept on; none where that is a cluster's affair.

    :param regions: hostvars.
    """
    target = regions[mirror["target"]]
    runs_on = target.get("kafka_dr_mirror_platform") or target.get("kafka_dr_platform")
    return list(target.get("kafka_dr_mirror_hosts") or [mirror["target"]]) if runs_on in ON_MACHINES else []


def machines_needed(regions, mirrors=(), applications=False, hosts=()):
    """All that a stage reaches by a connection of its own.

    :param regions: hostvars.
    :param mirrors: mirrors that it starts, stops or removes.
    :param applications: whether it starts or stops the applications of the inventory.
    :param hosts: further machines.
    :returns: ``machines[]``, ``clusters{application: connection}``.
    """
    machines = {*hosts, *(name for one in mirrors if one for name in mirror_machines(regions, one))}
    clusters = {}
    if applications:
        found = application_machines(application_batches(regions, hosts_with(regions, "kafka_dr_applications"), ROLES), regions)
        machines.update(found["machines"])
        clusters = found["clusters"]
    return {"machines": sorted(machines), "clusters": clusters}


def told_silent(silent):
    """Those that do not answer, in a sentence's words.

    :param silent: ``{machines: {machine: why}, clusters: {application: why}}``.
    """
    return "; ".join(["%s (%s)" % (name, why) for name, why in sorted(silent.get("machines", {}).items())]
                     + ["the API server of application %s (%s)" % (name, why) for name, why in sorted(silent.get("clusters", {}).items())])
