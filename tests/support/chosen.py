# SPDX-License-Identifier: GPL-3.0-or-later
"""What a salvage finds that a copy in memory never got."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import preparing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.choice import Choice, choose


def chosen(source, target, end, through=None) -> Choice:
    """The choice for the one partition of two sides of :mod:`.compared`.

    :param end: where the copy ended. :param through: the source's offset up to which it had been copied.
    """
    bounds = {"target": {"t": {"0": end}}, **({} if through is None else {"mirrored_through": {"t": {"0": through}}})}
    comparison = preparing.at_rest({"side": source}, {"side": target}, preparing.Wanted(".*", bounds, [], ""))
    comparison.compare(worker.InProcess())
    (pair,) = comparison.pairs
    assert pair.error is None, pair.error
    return choose(pair)
