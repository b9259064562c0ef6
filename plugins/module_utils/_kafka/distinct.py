# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two clients are clients of one cluster: a comparison of a cluster with itself shows nothing, and a
translation within it would be wrong.
"""

from __future__ import annotations

from .._errors import NotProvableError, RefusedError
from .client import KafkaClient


def cluster_id(client: KafkaClient) -> str:
    """The id that the cluster gives itself.

    :raises KafkaDrError: it does not answer, or has none.
    """
    found = client.result(
        client.ask("read metadata", lambda: client.admin.describe_cluster(request_timeout=client.timeout)),
        "read metadata",
    )
    if not found.cluster_id:
        raise NotProvableError(
            f"{client.name} does not say which cluster it is",
            expected="a cluster id",
            found="none",
            remedy="Ask a broker of Kafka 2.8 or later, not a proxy that hides it",
        )
    return found.cluster_id


def refuse_one_cluster(source: tuple[str, str], target: tuple[str, str]) -> None:
    """Refuse two clients, or sides of a comparison, that have the same ``cluster_id``.

    :param source, target: ``(name, cluster id)``.
    :raises RefusedError: they are one cluster.
    """
    if source[1] == target[1]:
        raise RefusedError(
            f"{source[0]} and {target[0]} are one cluster",
            expected="two clusters",
            found=f"cluster id {target[1]} for both",
            remedy="Correct bootstrap.servers of the client that is wrong",
        )


def refuse_same(source: KafkaClient, target: KafkaClient) -> None:
    """Refuse two clients of one cluster; asks both. :raises KafkaDrError: they are one cluster, or one of them does not
    answer.
    """
    refuse_one_cluster((source.name, cluster_id(source)), (target.name, cluster_id(target)))
