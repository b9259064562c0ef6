# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters by their subjects: pure functions of module_utils, for YAML."""
