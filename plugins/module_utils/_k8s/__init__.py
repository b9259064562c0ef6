# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes: the API client, and the resources of Strimzi, of the mirror and of applications."""
