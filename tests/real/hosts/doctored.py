# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters and the mirror between them, for the doctor to examine."""

from __future__ import annotations

from types import SimpleNamespace

from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from tests.support.offsets_lab import info

from .doctor import doctor
from .mirrors import exists, until


class Live:
    def __init__(self, source, target, mirror):
        self.source, self.target, self.mirror = source, target, mirror

    def examine(self, **options):
        return doctor(
            **{
                "source_client": self.source,
                "target_client": self.target,
                "topics": "doc\\..*",
                "groups": "doc-.*",
                **options,
            }
        )

    def caught_up(self):
        """What is still waited for until everything is copied."""
        source, target = SimpleNamespace(client=self.source), SimpleNamespace(client=self.target)
        more = {"source_alias": "source", "target_alias": "target", "topics": "doc\\..*"}
        return info(source, target, until_caught_up=True, **more)

    def alter(self, client, topic, **settings):
        admin = AdminClient(client)
        entries = [
            ConfigEntry(key.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
            for key, value in settings.items()
        ]
        for future in admin.incremental_alter_configs(
            [ConfigResource("topic", topic, incremental_configs=entries)]
        ).values():
            future.result(15)

    def delete(self, client, topic):
        admin = AdminClient(client)
        for future in admin.delete_topics([topic]).values():
            future.result(15)
        until(lambda: not exists(client, topic), f"{topic} to be gone")
