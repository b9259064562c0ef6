# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats and configuration of MirrorMaker 2; nothing here talks to a cluster."""
