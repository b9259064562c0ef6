# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab on Kubernetes: a real API server without containers, and Strimzi's resources."""
