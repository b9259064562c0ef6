# SPDX-License-Identifier: GPL-3.0-or-later
"""A name that no broker can be asked about ends in an error, and not in a signal."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import delete_groups, describe_groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import (
    config_entries,
    describe_topics,
    hidden_topics,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.users import existing_users
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import decode_source_offset

HALF = "orders\ud800"


@pytest.mark.parametrize(
    "ask", [describe_topics, hidden_topics, config_entries, describe_groups, delete_groups, existing_users]
)
def test_half_a_character_is_no_name(ask):
    client = KafkaClient({"bootstrap.servers": "127.0.0.1:1"}, timeout=1)
    with pytest.raises(UsageError, match=r"can have the name 'orders\\ud800'"):
        ask(client, [HALF])


def test_nor_does_a_mirror_copy_such_a_topic():
    key = b'["MirrorSourceConnector",{"cluster":"na","partition":0,"topic":"orders\\ud800"}]'
    with pytest.raises(FormatError):
        decode_source_offset(key, b'{"offset":1}')
