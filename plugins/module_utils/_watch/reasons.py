# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a topic is not watched."""

from __future__ import annotations

COMPACTED = (
    "it is compacted: either side may remove what the other still has, so that nothing stays proven; compare it when "
    "it is asked for"
)
HIDDEN = "the source does not show it to the watch's principal, so that nothing is known of it since; give it DESCRIBE"
HIDDEN_COPY = "the target does not show its copy to the watch's principal; give it DESCRIBE there"
LEADERLESS = "no broker leads one of its partitions, so that nothing is known of it since; look at the brokers"
STAMPED = "the target overwrites timestamps (LogAppendTime), so that records cannot be compared; compare its content"
GONE = "the source does not list it any more; what was proven of it is kept"
UNASKED = (
    "the watch is no longer asked for it: its topics do not mean it, so that nothing is known of it since; ask for it "
    "again, or compare it otherwise"
)
# What is so without any fault: a watch cannot stand for it, or its owner deleted it.
EXPECTED = (COMPACTED, STAMPED, GONE)
# Why it could not be looked at, although a watch could stand for it: what was proven before stays proven.
UNSEEN = (LEADERLESS, HIDDEN, HIDDEN_COPY, GONE)
