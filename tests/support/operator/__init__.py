# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Strimzi's operators in tests, where no image can be pulled.

It writes what the real ones (0.49.1 and 1.0.1) were seen to write: CA and user Secrets with their labels, listeners,
conditions and observed generations, and Ready only after the thing itself is ready. Behind it are real brokers
and real Connect workers with MirrorMaker 2's connectors. It decides no test alone: tests look into Kafka.
"""
