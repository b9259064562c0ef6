# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole examination, without a cluster."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_doctor_info import mirror_doctor_info


class TestExamine:
    """The whole, without a cluster."""

    OPTIONS = {"logs": [], "log_text": "", "configuration": None, "target_client": None}

    def test_logs_and_configuration_alone(self, tmp_path):
        log = tmp_path / "mm2.log"
        log.write_text("ERROR java.lang.OutOfMemoryError: Java heap space\n")
        made = mirror_doctor_info(
            {**self.OPTIONS, "logs": [str(log)], "configuration": "clusters=a,b\na->b.enabled=true\n"}, False
        )
        assert {"log-memory", "lint-offset-syncs-at-source"} <= {one["check"] for one in made["findings"]}
        assert made["worst"] == "error" and not made["healthy"] and made["lag"] is None

    def test_a_clean_log_is_healthy(self):
        made = mirror_doctor_info({**self.OPTIONS, "log_text": "INFO Kafka version: 4.3.1"}, False)
        assert made["healthy"] and made["worst"] == "none" and made["findings"] == []

    def test_a_mirror_that_was_left_is_not_examined(self):
        left = mirror_doctor_info(
            {
                **self.OPTIONS,
                "source_alias": "na",
                "target_alias": "eu",
                "left_for": "eu",
                "log_text": "ERROR org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed",
            },
            False,
        )
        # Consumers work in the target now, and the mirror was stopped for good: nobody shall be told to stop the ones
        # and to start the other.
        assert [(one["check"], one["severity"], one["object"]) for one in left["findings"]] == [
            ("mirror-left", "info", "na->eu")
        ] and left["healthy"]
        assert "names eu as the active region" in left["findings"][0]["found"]

    @pytest.mark.parametrize(
        "options, words", [({}, "nothing to examine"), ({"logs": ["/no/such/log"]}, "cannot be read")]
    )
    def test_refuses_what_it_cannot_read(self, options, words):
        with pytest.raises(UsageError, match=words):
            mirror_doctor_info({**self.OPTIONS, **options}, False)
