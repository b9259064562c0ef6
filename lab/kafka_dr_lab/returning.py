# SPDX-License-Identifier: GPL-3.0-or-later
"""After a failover the lost region comes back by itself: it must not be used, and must not write to the target."""

from __future__ import annotations

import json
from typing import Any

from .drill import MIRROR, SOURCE, TARGET, Drill
from .landscape import TOPICS

# The id, and the key, of a record that only the returned region has.
STRAY = "stray"
ACCEPTED, NO_ANSWER = "record accepted", "no answer"


def source_returns(drill: Drill) -> None:
    """The lost region starts again, empty, and its mirror is started. The stages refuse to use it, and fence it."""
    drill.say(f"{SOURCE} comes back by itself")
    drill.lab.bring_back(SOURCE)
    answer = produce_stray(drill)
    drill.report.check("returned_source_is_alive", answer == ACCEPTED, "it accepts a record", answer)
    drill.lab.revive(MIRROR)
    refused = drill.lab.playbooks.run(
        "initial_setup", {"initial_setup_source": SOURCE, "initial_setup_target": TARGET}, capture=True, check=False
    )
    drill.report.check(
        "returning_source_refused",
        refused.returncode != 0 and "active region" in refused.stdout,
        "initial_setup refuses to use it",
        f"exit code {refused.returncode}",
    )
    drill.stage("fence", fence_region=SOURCE, fence_survivor=TARGET)
    answer = produce_stray(drill)
    drill.report.check("returning_source_fenced", "AUTHORIZATION" in answer, "it accepts no record", answer)


def produce_stray(drill: Drill) -> str:
    """Produce one record to the returned region as the application would.

    :returns: :data:`ACCEPTED`, :data:`NO_ANSWER`, or the name of Kafka's error.
    """
    from confluent_kafka import KafkaException, Producer

    errors: list[Any] = []
    config = {**drill.client(SOURCE, "departures-producer"), "log_level": 0, "message.timeout.ms": 20000}
    producer = Producer(config)
    try:
        producer.produce(
            TOPICS[0],
            json.dumps({"id": STRAY}).encode(),
            STRAY.encode(),
            on_delivery=lambda error, _message: errors.append(error),
        )
        producer.flush(25)
    except KafkaException as error:
        errors.append(error.args[0])
    if not errors:
        return NO_ANSWER
    return ACCEPTED if errors[0] is None else str(errors[0].name())
