# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to Kafka: topics, offsets, groups, ACLs, quotas, users and records, over one description of a client."""
