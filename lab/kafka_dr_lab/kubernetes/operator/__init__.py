# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Strimzi's operators, for the lab and the tests, where no image can be pulled.

It writes what the real operators (0.49.1 and 1.0.1) write: CA and user Secrets with their labels, listeners,
conditions and observed generations, and Ready only once the thing itself is ready. Behind it run real brokers
and real Connect workers with MirrorMaker 2's connectors. Its status proves nothing: tests look into Kafka.
"""
