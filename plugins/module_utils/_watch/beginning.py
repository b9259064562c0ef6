# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch goes on from: never from what was proven of other clusters. One that is a service is started again and
again with the same words, and forgets what it knows only where that is about other clusters.
"""

from __future__ import annotations

import json

from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .state import WatchState, read_state


def is_of_others(words: list[str]) -> bool:
    """Whether the state that is kept is of another cluster than one of the two that answer.

    :param words: of the watch's command line, each option followed by its value.
    :returns: False too where a cluster does not answer, or the state cannot be read: the watch itself says so then.
    """
    options = dict(zip(words[1::2], words[2::2], strict=False))
    try:
        clients = [_client(options[f"--{side}-config"], side) for side in ("source", "target")]
        state = read_state(clients[1], options["--mirror"], options["--state"])
        if state is None:
            return False
        now = [client.metadata().cluster_id for client in clients]
    except (KafkaDrError, OSError, ValueError):
        return False
    return all(now) and now != [state.source_cluster, state.target_cluster]


def refuse_others(state: WatchState, clusters: tuple[str, str], mirror: str) -> None:
    """What was proven of other clusters says nothing of these. :raises RefusedError: it was."""
    if (state.source_cluster, state.target_cluster) != clusters:
        raise RefusedError(
            f"The watch of the mirror '{mirror}' was begun between other clusters",
            expected=f"{state.source_cluster} and {state.target_cluster}",
            found=f"{clusters[0]} and {clusters[1]}",
            remedy="Begin it anew with --begin-anew, or give this mirror another name",
        )


def _client(path: str, name: str) -> KafkaClient:
    with open(path, encoding="utf-8") as file:
        return KafkaClient(json.load(file), {}, 30, name)
