# SPDX-License-Identifier: GPL-3.0-or-later
"""The local lab: real Kafka, real MirrorMaker 2, regions that can be lost, and the drill that loses one."""
