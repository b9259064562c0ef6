# SPDX-License-Identifier: GPL-3.0-or-later
"""The security protocols and SASL mechanisms that a client may name."""

from __future__ import annotations

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
BY_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS = (*BY_PASSWORD, "OAUTHBEARER")
