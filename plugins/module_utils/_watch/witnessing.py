# SPDX-License-Identifier: GPL-3.0-or-later
"""When the position witness was seen at work: the watch shows it beside its own figures, and judges nothing by it."""

from __future__ import annotations

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.mm2_topics import read_witness_rounds

# Its rounds are two seconds apart; an alert has minutes.
SECONDS = 10


class WitnessLook:
    """Looks at the end of the witness's topic, now and then.

    :param topic: None where there is no witness.
    """

    def __init__(self, client: KafkaClient, topic: str | None) -> None:
        self.client, self.topic = client, topic
        self.at: int | None = None
        self._looked = -float(SECONDS)

    def last_round(self, now: float) -> int | None:
        """When the last round that is known began, in milliseconds by the witness's clock; None before any.

        What cannot be read leaves it as it was, so that its age grows.

        :param now: seconds of a monotonic clock.
        """
        if self.topic is not None and now - self._looked >= SECONDS:
            self._looked = now
            try:
                rounds = read_witness_rounds(self.client, self.topic)
            except KafkaDrError:
                return self.at
            self.at = rounds[-1] if rounds else self.at
        return self.at
